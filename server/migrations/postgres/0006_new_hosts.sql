-- Hosts in links and images of the job's changes that no page of the repository named before.
ALTER TABLE job ADD COLUMN new_hosts text[] NOT NULL DEFAULT '{}';
