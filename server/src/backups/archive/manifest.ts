/** What a backup contains. Not encrypted, so that backups can be listed and their checksums compared without the identity. */
import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { BackupError, BackupFileMissing } from './backup-error.ts'
import type { BackupStorage } from './storage.ts'

const formatVersion = 1
const fileName = 'manifest.json'

/** Enough for tens of thousands of tables and months. Someone who can write to the storage could make it larger. */
const maxBytes = 16 * 1024 * 1024

/** Names become parts of paths, of SQL statements and of what is printed. */
const name = Type.String({ pattern: '^[a-zA-Z0-9_]+$' })
const count = Type.Integer({ minimum: 0 })
const file = Type.Object({
  name: Type.String({ pattern: '^[a-z]+/[a-zA-Z0-9_-]+(\\.[a-z]+)+$' }),
  sizeBytes: count,
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  rows: count,
})
const migration = Type.Object({ name, checksum: Type.String() })
const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z$' })

const manifest = Type.Object({
  format: Type.Literal(formatVersion),
  /** The version of Colophon that wrote it. */
  version: Type.String({ pattern: '^[0-9A-Za-z.+-]+$' }),
  /** Everything that was acknowledged before is in the backup, and nothing that began later. */
  moment: time,
  finishedAt: time,
  recipients: Type.Array(Type.String()),
  postgres: Type.Object({
    migrations: Type.Array(migration),
    tables: Type.Array(
      Type.Object({
        name,
        columns: Type.Array(name),
        /** Null: the table is empty. */
        file: Type.Union([file, Type.Null()]),
      }),
    ),
    /** Of the tables of delivery IDs. */
    partitions: Type.Array(Type.Object({ parent: name, from: Type.String(), to: Type.String() })),
    sequences: Type.Array(Type.Object({ name, lastValue: Type.String({ pattern: '^[0-9]+$' }) })),
  }),
  clickhouse: Type.Object({
    migrations: Type.Array(migration),
    /** A file for each month. */
    views: Type.Object({ columns: Type.Array(name), files: Type.Array(file) }),
    sentBatches: Type.Object({ columns: Type.Array(name), file }),
  }),
  /** The IDs of the sealing keys that open the stored credentials. They are not in the backup. */
  sealingKeyIds: Type.Array(Type.String({ pattern: '^[0-9a-f]{16}$' })),
})

export type Manifest = Static<typeof manifest>

export const listFiles = ({ postgres, clickhouse }: Manifest) => [
  ...postgres.tables.flatMap((table) => table.file ?? []),
  clickhouse.sentBatches.file,
  ...clickhouse.views.files,
]

export const folderNameOf = (moment: Date) => moment.toISOString().replaceAll(':', '-')

const folderPattern = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/

/** The moment of a backup, by the name of its folder. Undefined: it is not the folder of a backup. */
export function momentOf(folder: string): Date | undefined {
  const [, hours, minutes, seconds] = folderPattern.exec(folder) ?? []
  const moment = new Date(`${hours}:${minutes}:${seconds}`)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

/** Returns its SHA-256, by which an operator can recognize it. */
export async function writeManifest(
  storage: BackupStorage,
  folder: string,
  content: Manifest,
  signal: AbortSignal | undefined,
): Promise<string> {
  const bytes = Buffer.from(`${JSON.stringify(content, null, 2)}\n`)
  async function* chunks() {
    yield bytes
  }
  await storage.write(`${folder}/${fileName}`, chunks(), signal)
  return sha256(bytes)
}

export interface StoredManifest {
  manifest: Manifest
  manifestSha256: string
}

export const hasManifest = (storage: BackupStorage, folder: string): Promise<boolean> =>
  storage.hasFile(`${folder}/${fileName}`)

/** Undefined: the backup is not complete. */
export async function findManifest(storage: BackupStorage, folder: string): Promise<StoredManifest | undefined> {
  try {
    return await readManifest(storage, folder)
  } catch (error) {
    if (error instanceof BackupFileMissing) return undefined
    throw error
  }
}

async function readManifest(storage: BackupStorage, folder: string): Promise<StoredManifest> {
  const path = `${folder}/${fileName}`
  const chunks: Uint8Array[] = []
  let readBytes = 0
  for await (const chunk of storage.read(path)) {
    chunks.push(chunk)
    readBytes += chunk.length
    if (readBytes > maxBytes) throw new BackupError(`${path} is damaged: it is too large.`)
  }
  const bytes = Buffer.concat(chunks)
  const content = parseJson(bytes.toString())
  if (Check(manifest, content)) {
    if (momentOf(folder)?.toISOString() !== content.moment)
      throw new BackupError(`${path} is damaged: it belongs to the backup of ${content.moment}.`)
    return { manifest: content, manifestSha256: sha256(bytes) }
  }
  const { format } = (content ?? {}) as { format?: unknown }
  throw new BackupError(
    typeof format === 'number' && format > formatVersion
      ? `${path} was written by a newer version of Colophon.`
      : `${path} is damaged.`,
  )
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
