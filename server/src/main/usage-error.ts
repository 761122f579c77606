/** What was typed is wrong: the message says how, and what can be typed. */
export class UsageError extends Error {}
