/** The command cannot be understood: nothing was done. */
export class UsageError extends Error {}
