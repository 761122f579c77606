-- IDs of deliveries, to count a repeated one once. Partitioned by the time of arrival, so that expired IDs are dropped as a whole: with
-- thousands of beacons per second, deleting rows was slower than adding them. `view_delivery` keeps the IDs of imports, which do not
-- expire, and until they expire those of the previous version.
--
-- The ID comes first in the primary key: it is looked up in several partitions, and all rows of a partition have the same slot.
--
-- Beacons: a partition for each half hour, kept for another half hour. Batches of servers: one for each day, kept for a week.
CREATE TABLE beacon_delivery (
  slot timestamptz NOT NULL,
  delivery uuid NOT NULL,
  PRIMARY KEY (delivery, slot)
) PARTITION BY RANGE (slot);

CREATE TABLE batch_delivery (
  slot timestamptz NOT NULL,
  delivery uuid NOT NULL,
  PRIMARY KEY (delivery, slot)
) PARTITION BY RANGE (slot);
