-- The message asks to merge the base branch into the branch of the pull request, and to resolve the conflicts.
ALTER TABLE turn ADD COLUMN resolves_conflicts boolean NOT NULL DEFAULT false;
-- The commit of the base branch that was merged. The result is then a merge commit.
ALTER TABLE turn_result ADD COLUMN merged_commit text CHECK (merged_commit ~ '^[0-9a-f]{40}([0-9a-f]{24})?$');
