/** Adds what a gateway of version 0.1.0 leaves out of a claimed turn: it does not know the newer rules, and merges no branches. */
export function completeClaimedTurn(turn: unknown): unknown {
  if (typeof turn !== 'object' || turn === null || 'changeRules' in turn) return turn
  const { docsFolder, deadlineAt } = turn as { docsFolder?: unknown; deadlineAt?: unknown }
  return {
    ...turn,
    changeRules: { docsFolders: [docsFolder], allowedPaths: [], siteGenerator: null, activeContent: 'refuse' },
    mergeBranch: null,
    secondsLeft: (Date.parse(String(deadlineAt)) - Date.now()) / 1000,
  }
}
