import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits for the fragment of a link, which browsers do not send to servers. Only the hash is stored. */
export const generateLinkToken = (): string => randomBytes(32).toString('base64url')

export const hashLinkToken = (token: string): Buffer => createHash('sha256').update(token).digest()

export const linkTokenPattern = '^[A-Za-z0-9_-]{43}$'
