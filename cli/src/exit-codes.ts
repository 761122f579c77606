export const exitCodes = { ok: 0, notOk: 1, usage: 2 } as const
