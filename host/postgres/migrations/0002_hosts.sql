-- Hosts that serve the ledger together, each reporting twice a second. A row of the ledger decides
-- whether a host belongs to it; this table shows which hosts are alive.
create table hosts (
    id text primary key check (length(id) = 32),
    -- Address at which other hosts reach it, `host:port`.
    address text not null,
    -- Whether it is the leader.
    leads boolean not null default false,
    seen_at timestamptz not null default clock_timestamp()
);

-- Used calls of limits that hold over all hosts. A crash of the database may lose them, which does
-- little harm: a window is an hour at most.
create unlogged table call_windows (
    -- Client of the window, and kind of limit.
    client text not null,
    -- Start and end, Unix time in seconds.
    begins bigint not null,
    ends bigint not null,
    used bigint not null,
    primary key (client, begins, ends)
);
create index call_windows_ends on call_windows (ends);

-- Takes a slice of a window: at most the wanted calls, and no more than are left.
create function take_calls(of_client text, window_begins bigint, window_ends bigint, wanted bigint, most bigint)
returns table (granted bigint, taken bigint) language plpgsql as $$
declare
    before bigint;
begin
    insert into call_windows (client, begins, ends, used) values (of_client, window_begins, window_ends, 0)
        on conflict do nothing;
    select used into before from call_windows
        where client = of_client and begins = window_begins and ends = window_ends for update;
    granted := greatest(0, least(wanted, most - before));
    taken := before + granted;
    if granted > 0 then
        update call_windows set used = taken
            where client = of_client and begins = window_begins and ends = window_ends;
    end if;
    return next;
end
$$;

-- Versions of plugins that were published on any host: the files of a version's folder. Hosts trust
-- only their signatures.
create table registry_versions (
    -- Order of publication.
    number bigint generated always as identity primary key,
    -- `bridges/<name>/<version>` or `agents/<name>/<version>`.
    path text not null unique
);
create table registry_files (
    version bigint not null references registry_versions (number),
    -- Path below the version's folder.
    path text not null,
    bytes bytea not null,
    primary key (version, path)
);
alter table registry_files alter column bytes set storage external;
