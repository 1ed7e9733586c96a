// The peer: Go's net/http and pgx, reading the members of a family without any protection.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

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
	http.HandleFunc("/api/family/members", func(w http.ResponseWriter, r *http.Request) {
		family := r.URL.Query().Get("familyId")
		found, err := members(r.Context(), pool, query, family)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(listing{true, family, found, len(found)})
	})
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}

// The statement as pgx takes it.
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
