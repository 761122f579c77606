/** The file with the sealing keys of deploy/compose.yml, and the steps of their rotation. */
import { generateSealingKeyPair } from '../../platform/sealed-secrets/sealing-keys.ts'
import { UsageError } from '../usage-error.ts'

interface StoredKeyPair {
  publicEntry: string
  privateEntry: string
  /** ISO 8601. Absent in files from before pairs could be rotated. */
  createdAt?: string
}

const createPair = (): StoredKeyPair => ({ ...generateSealingKeyPair(), createdAt: new Date().toISOString() })

const formatPairs = (pairs: readonly StoredKeyPair[]) => JSON.stringify(pairs)

/** In the order of the settings: the first pair seals. Older files have one pair, without a list. */
function parsePairs(text: string): StoredKeyPair[] {
  const value = JSON.parse(text) as StoredKeyPair | StoredKeyPair[]
  return Array.isArray(value) ? value : [value]
}

export const createSealingKeysFile = (): string => formatPairs([createPair()])

/** The values of COLOPHON_SEALING_PUBLIC_KEYS and COLOPHON_SEALING_PRIVATE_KEYS. */
export function readSealingSettings(text: string): { publicKeys: string; privateKeys: string } {
  const pairs = parsePairs(text)
  return {
    publicKeys: pairs.map(({ publicEntry }) => publicEntry).join(','),
    privateKeys: pairs.map(({ privateEntry }) => privateEntry).join(','),
  }
}

/** Returns the changed file. Refuses a step in the wrong order; a step that is done already changes nothing. */
export function rotateSealingKeys(text: string, step: string): string {
  const pairs = parsePairs(text)
  const newestFirst = pairs.toSorted((left, right) => (right.createdAt ?? '').localeCompare(left.createdAt ?? ''))
  switch (step) {
    case 'add':
      return pairs.length > 1 ? text : formatPairs([...pairs, createPair()])
    case 'use-new':
      if (pairs.length === 1) throw new UsageError('There is only one sealing key. Add a new one first.')
      return formatPairs(newestFirst)
    case 'remove-old':
      if (pairs[0] !== newestFirst[0]) throw new UsageError('The new sealing key is not in use yet.')
      return formatPairs(pairs.slice(0, 1))
    default:
      throw new UsageError(`--sealing-keys must be add, use-new or remove-old, not "${step}".`)
  }
}
