-- The oldest version whose processes may still run. While an older version may, this one writes nothing that the older one cannot read.
-- `colophon-server upgrade --finish` sets it to the current version. A new instance has never had an older one.
CREATE TABLE instance_upgrade (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  oldest_version text NOT NULL
);
INSERT INTO instance_upgrade (oldest_version) SELECT CASE WHEN EXISTS (SELECT FROM project) THEN '0.1.0' ELSE '0.2.0' END;
