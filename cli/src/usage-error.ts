/** A mistake in the command line. Nothing was done. */
export class UsageError extends Error {}
