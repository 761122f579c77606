import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

export interface Artifact {
  name: string
  sizeBytes: number
  sha256: string
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** As `sha256sum --check` reads it. */
export const formatChecksums = (artifacts: readonly Artifact[]): string =>
  artifacts.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
