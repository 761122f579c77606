import { randomBytes } from 'node:crypto'

/** For an engine's administrator, anew at each start; told in `.services/running.json`, which only its owner can read. */
export const randomPassword = (): string => randomBytes(18).toString('base64url')
