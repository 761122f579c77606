import { createHash, randomBytes } from 'node:crypto'

/** What a link carries in its fragment, which browsers send to nobody: 256 random bits. Only its hash is stored. */
export const newLinkToken = (): string => randomBytes(32).toString('base64url')

export const hashOfLinkToken = (token: string): Buffer => createHash('sha256').update(token).digest()

export const linkTokenPattern = '^[A-Za-z0-9_-]{43}$'
