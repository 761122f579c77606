/**
 * A deliberate bug in the product. It is declared as a replacement of text, not as a patch: a patch also depends on the lines
 * around the change and on their numbers, so it stops applying after unrelated edits, and it cannot be read in a list.
 */
export interface Mutation {
  /** By which `npm run check:proofs -- <name>` selects it. */
  name: string
  /** What the product does wrong with it. */
  bug: string
  /** In server/src, sdk/src, mcp/src or deploy. Not in web: the proofs use the built dashboard, which is not built again. */
  file: string
  /** Occurs exactly once in the file. */
  find: string
  replace: string
  caughtBy: { proof: string; args?: readonly string[] } | { test: string }
  /** Part of the message of the failed check, or of the name of the failed test. */
  failure: string
}

/** Returns the text of the file with the bug. Throws if the mutation no longer applies. */
export function mutate(text: string, { name, file, find, replace }: Mutation): string {
  const occurrences = text.split(find).length - 1
  if (occurrences !== 1)
    throw new Error(`${name} does not apply: ${file} contains its text ${occurrences} times instead of once.`)
  return text.replace(find, () => replace)
}
