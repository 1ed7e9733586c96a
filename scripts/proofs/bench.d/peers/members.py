"""The peer: FastAPI and asyncpg, reading the members of a family without any protection."""
import os
from contextlib import asynccontextmanager
from uuid import UUID

import asyncpg
from fastapi import FastAPI, Request

QUERY = open(os.path.join(os.environ["BENCH_SQL"], "members-plain.sql")).read()
QUERY = "\n".join(line for line in QUERY.splitlines() if not line.startswith(("--", "\\")))
QUERY = QUERY.replace(":family", "$1").rstrip().rstrip(";")


@asynccontextmanager
async def lifespan(app: FastAPI):
    size = int(os.environ["BENCH_POOL"])
    app.state.pool = await asyncpg.create_pool(
        dsn=os.environ["BENCH_URL"], min_size=size, max_size=size)
    yield
    await app.state.pool.close()


app = FastAPI(lifespan=lifespan)


@app.get("/api/family/members")
async def members(familyId: UUID, request: Request):
    rows = await request.app.state.pool.fetch(QUERY, familyId)
    listed = [
        {
            "id": row["id"], "family_unit_id": familyId, "user_id": row["user_id"],
            "role": row["role"], "household_role": row["household_role"],
            "status": row["status"], "added_at": row["added_at"],
            "is_managed": row["is_managed"], "parent_user_id": row["parent_user_id"],
            "member_type": "managed" if row["is_managed"] else "independent",
            "avatar_key": row["avatar_key"] or "",
            "users": {
                "id": row["user_id"], "email": row["email"] or "",
                "full_name": row["full_name"], "role": row["account_role"],
            },
        }
        for row in rows
    ]
    return {"success": True, "familyId": familyId, "members": listed, "count": len(listed)}
