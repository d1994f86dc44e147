-- Hosts that serve the ledger together, as they say themselves twice a second.
-- Whether one belongs to the ledger is a row of the ledger; this tells who is alive.
create table hosts (
    id text primary key check (length(id) = 32),
    -- Where other hosts reach it, `host:port`.
    address text not null,
    -- Whether it does what one host does for all.
    leads boolean not null default false,
    seen_at timestamptz not null default clock_timestamp()
);

-- What is left of limits that hold over all hosts. Lost with a crash of the
-- database, which costs nobody anything: a window is an hour at most.
create unlogged table call_windows (
    -- Whose window, and of what.
    client text not null,
    -- Beginning and end, Unix time in seconds.
    begins bigint not null,
    ends bigint not null,
    used bigint not null,
    primary key (client, begins, ends)
);
create index call_windows_ends on call_windows (ends);

-- Takes a slice of a window: at most so many calls, no more than are left.
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

-- Versions of plugins that were published on any host: the files of a version's
-- folder. What a version is worth is decided by its signature.
create table registry_versions (
    -- In the order in which they came.
    number bigint generated always as identity primary key,
    -- `bridges/<name>/<version>` or `agents/<name>/<version>`.
    path text not null unique
);
create table registry_files (
    version bigint not null references registry_versions (number),
    -- Below the version's folder.
    path text not null,
    bytes bytea not null,
    primary key (version, path)
);
alter table registry_files alter column bytes set storage external;
