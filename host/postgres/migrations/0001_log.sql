-- The ledger that this database belongs to, and how far its tables reach.
create table ledger (
    one boolean primary key default true check (one),
    -- Random; a host's replica names it.
    id bytea not null check (length(id) = 16),
    -- Shape of what the notes write; hosts of another shape do not start.
    tables_version integer not null,
    -- Position up to which `table_rows` has everything.
    compacted_next bigint not null default 0,
    compacted_digest bytea not null check (length(compacted_digest) = 32),
    -- When it was moved elsewhere: no host starts on it again.
    moved_at timestamptz
);

-- The commits of all hosts in one order. The primary key is what makes it one.
create table commits (
    number bigint primary key,
    -- Which process wrote it: random, anew at each start.
    host bytea not null check (length(host) = 16),
    -- SHA-256 of the digest before, the number and the notes.
    digest bytea not null check (length(digest) = 32),
    notes bytea not null,
    at timestamptz not null default clock_timestamp()
);
-- Notes are digests and small JSON: compressing them costs more than it saves.
alter table commits alter column notes set storage external;

-- The rows of all tables at `ledger.compacted_next`, for hosts that begin.
create table table_rows (
    number smallint not null,
    key bytea not null,
    value bytea not null,
    primary key (number, key)
);
alter table table_rows alter column value set storage external;

-- An import that is under way: hosts do not start before it is finished.
create table import (
    one boolean primary key default true check (one),
    -- SHA-256 of all that is imported: only the same source goes on.
    source bytea not null check (length(source) = 32),
    -- Rows that are there and were read back.
    rows bigint not null default 0
);
