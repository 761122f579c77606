/**
 * The files of a backup: rows as lines of text, compressed with Zstandard and encrypted with age, so that an operator can read them with
 * `age --decrypt` and `zstd` alone. They are streamed: memory does not grow with their size.
 */
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { Decrypter, Encrypter } from 'age-encryption'
import { BackupError } from './backup-error.ts'
import type { BackupStorage } from './storage.ts'

export interface BackupFile {
  /** In the folder of the backup. */
  name: string
  /** Of the file as it is stored. */
  sizeBytes: number
  sha256: string
  rows: number
}

const lineFeed = 0x0a

export function countLines(chunk: Uint8Array): number {
  let lines = 0
  for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) lines += 1
  return lines
}

/** Throws a `BackupError` for the first recipient that is mistyped. */
export function assertRecipients(recipients: readonly string[]): void {
  for (const recipient of recipients)
    try {
      new Encrypter().addRecipient(recipient)
    } catch {
      throw new BackupError(`COLOPHON_BACKUP_RECIPIENTS contains ${recipient}, which is not a public key of age.`)
    }
}

/** Encrypts to all recipients: the identity of any of them opens the file. */
export async function writeBackupFile(
  storage: BackupStorage,
  { folder, name }: { folder: string; name: string },
  lines: AsyncIterable<Uint8Array>,
  { recipients, signal }: { recipients: readonly string[]; signal?: AbortSignal | undefined },
): Promise<BackupFile> {
  const file: BackupFile = { name, sizeBytes: 0, sha256: '', rows: 0 }
  async function* counted() {
    for await (const chunk of lines) {
      file.rows += countLines(chunk)
      yield chunk
    }
  }
  const compressed = pipeline(Readable.from(counted()), createZstdCompress(), ignoreError)
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  const encrypted = await encrypter.encrypt(toWebStream(compressed))
  const hash = createHash('sha256')
  async function* hashed() {
    for await (const chunk of encrypted) {
      hash.update(chunk)
      file.sizeBytes += chunk.length
      yield chunk
    }
  }
  await storage.write(`${folder}/${name}`, hashed(), signal)
  file.sha256 = hash.digest('hex')
  return file
}

/** The lines of a file. Throws a `BackupError` if it is not the file that was written, at the latest after its last line. */
export async function* readBackupFile(
  storage: BackupStorage,
  folder: string,
  file: BackupFile,
  identities: readonly string[],
): AsyncGenerator<Uint8Array> {
  const path = `${folder}/${file.name}`
  const stored = readStored(storage, folder, file)
  const decrypter = createDecrypter(identities)
  let rows = 0
  try {
    const decrypted = await decrypter.decrypt(toWebStream(Readable.from(stored)))
    const lines = pipeline(Readable.from(decrypted), createZstdDecompress(), ignoreError)
    for await (const chunk of lines as AsyncIterable<Uint8Array>) {
      rows += countLines(chunk)
      yield chunk
    }
  } catch (error) {
    throw toBackupError(error, path)
  }
  if (rows !== file.rows) throw new BackupError(`${path} has ${rows} rows instead of ${file.rows}.`)
}

/** Errors of the library contain the identity. */
function createDecrypter(identities: readonly string[]): Decrypter {
  const decrypter = new Decrypter()
  try {
    for (const identity of identities) decrypter.addIdentity(identity)
  } catch {
    throw new BackupError(
      'COLOPHON_BACKUP_IDENTITY is not a valid identity. Compare it with the one that was generated.',
    )
  }
  return decrypter
}

/** Compares the file with its checksum, which needs no identity. */
export async function checkBackupFile(storage: BackupStorage, folder: string, file: BackupFile): Promise<void> {
  for await (const _ of readStored(storage, folder, file));
}

async function* readStored(storage: BackupStorage, folder: string, { name, sizeBytes, sha256 }: BackupFile) {
  const hash = createHash('sha256')
  let readBytes = 0
  for await (const chunk of storage.read(`${folder}/${name}`)) {
    hash.update(chunk)
    readBytes += chunk.length
    yield chunk
  }
  if (readBytes !== sizeBytes)
    throw new BackupError(`${folder}/${name} has ${readBytes} bytes instead of ${sizeBytes}.`)
  if (hash.digest('hex') !== sha256) throw new BackupError(`${folder}/${name} is damaged: its checksum differs.`)
}

function toBackupError(error: unknown, path: string): unknown {
  if (error instanceof BackupError || (error as { code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE') return error
  const message = error instanceof Error ? error.message : String(error)
  if (message.startsWith('no identity matched'))
    return new BackupError(`${path} cannot be opened with this identity: it was encrypted for another one.`)
  return new BackupError(`${path} cannot be read: ${message}.`)
}

const toWebStream = (stream: Readable) => Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>

/** The error also ends the stream, where it is handled. */
const ignoreError = () => {}
