-- The site generator that a person chose. Null: it is recognized.
ALTER TABLE repository ADD COLUMN site_generator text;
-- What was recognized on the base branch: generator, configuration file and folder of the pages. Null: not yet, or no longer valid.
ALTER TABLE repository ADD COLUMN site jsonb;
ALTER TABLE repository ADD COLUMN site_recognized_at timestamptz;
