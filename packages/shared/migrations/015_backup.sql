-- When backups were made: each is one row, written after its file was checked. A restored database knows only of those
-- that were made before its own.
create table backup (
  completed_at timestamptz(3) primary key default clock_timestamp(),
  -- What has made it, such as `CronJob`.
  made_by text not null
);
