-- The ledger of this database, and how far its tables reach.
create table ledger (
    one boolean primary key default true check (one),
    -- Random; a host's replica refers to it.
    id bytea not null check (length(id) = 16),
    -- Format of the notes; hosts with another format do not start.
    tables_version integer not null,
    -- Position up to which `table_rows` is complete.
    compacted_next bigint not null default 0,
    compacted_digest bytea not null check (length(compacted_digest) = 32),
    -- Time at which it was moved elsewhere: no host starts on it again.
    moved_at timestamptz
);

-- The commits of all hosts in one order, which the primary key enforces.
create table commits (
    number bigint primary key,
    -- Process that wrote it: random at each start.
    host bytea not null check (length(host) = 16),
    -- SHA-256 of the previous digest, the number and the notes.
    digest bytea not null check (length(digest) = 32),
    notes bytea not null,
    at timestamptz not null default clock_timestamp()
);
-- Notes are digests and small JSON: compressing them costs more than it saves.
alter table commits alter column notes set storage external;

-- The rows of all tables at `ledger.compacted_next`, for new hosts.
create table table_rows (
    number smallint not null,
    key bytea not null,
    value bytea not null,
    primary key (number, key)
);
alter table table_rows alter column value set storage external;

-- An import in progress: hosts do not start before it is finished.
create table import (
    one boolean primary key default true check (one),
    -- SHA-256 of all imported data: only the same source resumes.
    source bytea not null check (length(source) = 32),
    -- Number of rows that were written and read back.
    rows bigint not null default 0
);
