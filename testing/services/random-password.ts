import { randomBytes } from 'node:crypto'

/**
 * A new administrator password for a service at each start. It is in `.services/running.json`, which only its owner can
 * read.
 */
export const randomPassword = (): string => randomBytes(18).toString('base64url')
