// The peer: Go's net/http and pgx, reading the members of a family without any protection. With
// BENCH_SECRET, it has the same protection as Hearth: it verifies the token, begins the request in the
// database and reads through the view, both in one round trip, as hearth_api.
package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

type user struct {
	ID       string  `json:"id"`
	Email    string  `json:"email"`
	FullName *string `json:"full_name"`
	Role     string  `json:"role"`
}

type member struct {
	ID            string    `json:"id"`
	FamilyUnitID  string    `json:"family_unit_id"`
	UserID        string    `json:"user_id"`
	Role          string    `json:"role"`
	HouseholdRole string    `json:"household_role"`
	Status        string    `json:"status"`
	AddedAt       time.Time `json:"added_at"`
	IsManaged     bool      `json:"is_managed"`
	ParentUserID  *string   `json:"parent_user_id"`
	MemberType    string    `json:"member_type"`
	AvatarKey     string    `json:"avatar_key"`
	Users         user      `json:"users"`
}

type listing struct {
	Success  bool     `json:"success"`
	FamilyID string   `json:"familyId"`
	Members  []member `json:"members"`
	Count    int      `json:"count"`
}

func main() {
	pool, err := pgxpool.Connect(context.Background(), os.Getenv("BENCH_URL"))
	if err != nil {
		log.Fatal(err)
	}
	query := readQuery(os.Getenv("BENCH_SQL") + "/members-plain.sql")
	read := func(r *http.Request, family string) ([]member, error) {
		return members(r.Context(), pool, query, family)
	}
	if file := os.Getenv("BENCH_SECRET"); file != "" {
		secret, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		secret = bytes.TrimRight(secret, "\r\n")
		read = func(r *http.Request, family string) ([]member, error) {
			return protectedMembers(r, pool, secret, family)
		}
	}
	http.HandleFunc("/api/family/members", func(w http.ResponseWriter, r *http.Request) {
		family := r.URL.Query().Get("familyId")
		found, err := read(r, family)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(listing{true, family, found, len(found)})
	})
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}

// The statement in the form of pgx.
func readQuery(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	var lines []string
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, "\\") {
			lines = append(lines, line)
		}
	}
	query := strings.ReplaceAll(strings.Join(lines, "\n"), ":family", "$1")
	return strings.TrimRight(query, "; \n")
}

func members(
	ctx context.Context, pool *pgxpool.Pool, query string, family string,
) ([]member, error) {
	rows, err := pool.Query(ctx, query, family)
	if err != nil {
		return nil, err
	}
	return listed(rows, family)
}

type claims struct {
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`
	Email   string `json:"email"`
	Expires int64  `json:"exp"`
}

// The claims of a token that is signed with HS256 and has not expired.
func verified(token string, secret []byte) (claims, error) {
	var found claims
	end := strings.LastIndexByte(token, '.')
	start := strings.IndexByte(token, '.')
	if end <= start {
		return found, errors.New("no token")
	}
	signature, err := base64.RawURLEncoding.DecodeString(token[end+1:])
	if err != nil {
		return found, err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(token[:end]))
	if !hmac.Equal(signature, mac.Sum(nil)) {
		return found, errors.New("a wrong signature")
	}
	payload, err := base64.RawURLEncoding.DecodeString(token[start+1 : end])
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(payload, &found); err != nil {
		return found, err
	}
	if found.Expires <= time.Now().Unix() {
		return found, errors.New("an expired token")
	}
	return found, nil
}

// With types, because the function has several forms.
const begin = "SELECT outcome FROM app.begin_request($1::text, $2::bytea, $3::text, $4::boolean, " +
	"$5::boolean)"
const protectedQuery = `
SELECT id, user_id, role, household_role, status, added_at, is_managed, parent_user_id, avatar_key,
    email, full_name, account_role
FROM app.member_list WHERE family_unit_id = $1 ORDER BY added_at, id`

// Without BEGIN, the statements of a batch are one transaction.
func protectedMembers(
	r *http.Request, pool *pgxpool.Pool, secret []byte, family string,
) ([]member, error) {
	caller, err := verified(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), secret)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(caller.Issuer + "\n" + caller.Subject))
	batch := &pgx.Batch{}
	batch.Queue(begin, caller.Issuer, hash[:], caller.Email, true, false)
	batch.Queue(protectedQuery, family)
	results := pool.SendBatch(r.Context(), batch)
	defer results.Close()
	var outcome string
	if err := results.QueryRow().Scan(&outcome); err != nil {
		return nil, err
	}
	if outcome != "known" {
		return nil, errors.New(outcome)
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	found, err := listed(rows, family)
	if err == nil && len(found) == 0 {
		err = errors.New("no such family")
	}
	return found, err
}

func listed(rows pgx.Rows, family string) ([]member, error) {
	defer rows.Close()
	var found []member
	for rows.Next() {
		var m member
		var email, avatar *string
		err := rows.Scan(
			&m.ID, &m.UserID, &m.Role, &m.HouseholdRole, &m.Status, &m.AddedAt, &m.IsManaged,
			&m.ParentUserID, &avatar, &email, &m.Users.FullName, &m.Users.Role)
		if err != nil {
			return nil, err
		}
		m.FamilyUnitID, m.MemberType, m.Users.ID = family, "independent", m.UserID
		if m.IsManaged {
			m.MemberType = "managed"
		}
		if avatar != nil {
			m.AvatarKey = *avatar
		}
		if email != nil {
			m.Users.Email = *email
		}
		found = append(found, m)
	}
	return found, rows.Err()
}
