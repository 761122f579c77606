/** Backups in a bucket of S3, or of another service or server with its API. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { BackupError, BackupFileMissing, BackupFileTooLarge } from './backup-error.ts'
import type { BackupStorage } from './storage.ts'

export interface S3Access {
  /** Undefined: that of AWS in the region. */
  endpoint: string | undefined
  region: string
  /** Undefined: what the SDK of AWS finds, for example the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

/**
 * Up to five parts are in memory: two that are sent, and the next ones with their copies. With parts of 16 MiB the process needed 60 MB more
 * (measured), which its container in deploy/compose.backup.yml does not have.
 */
const partBytes = 8 * 1024 * 1024
/** Of S3. */
const maxPartCount = 10_000
const maxConcurrentUploads = 2

const connectTimeoutMs = 10_000
/** Without a byte. With all attempts, less than ClickHouse waits (`clickhouseTimeoutMs`). */
const defaultIdleTimeoutMs = 60_000
const maxAttempts = 5

const connectionErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENOTFOUND', 'ETIMEDOUT'])

export class S3Storage implements BackupStorage {
  readonly description: string
  readonly #client: S3Client
  readonly #bucket: string
  /** Empty, or with a slash at its end. */
  readonly #prefix: string
  readonly #idleTimeoutMs: number
  readonly #maxFileBytes: number

  constructor(
    { bucket, prefix }: { bucket: string; prefix: string },
    { endpoint, region, credentials }: S3Access,
    { idleTimeoutMs = defaultIdleTimeoutMs, maxFileBytes = partBytes * maxPartCount } = {},
  ) {
    this.#bucket = bucket
    this.#prefix = prefix
    this.#idleTimeoutMs = idleTimeoutMs
    this.#maxFileBytes = maxFileBytes
    this.description = `s3://${bucket}/${prefix}`
    this.#client = new S3Client({
      region,
      maxAttempts,
      // Servers other than that of AWS often know neither checksums in trailers nor buckets as host names.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      forcePathStyle: endpoint !== undefined,
      requestHandler: { connectionTimeout: connectTimeoutMs, socketTimeout: idleTimeoutMs },
      ...(endpoint !== undefined && { endpoint }),
      ...(credentials && { credentials }),
    })
  }

  async listFolders(): Promise<string[]> {
    const folders: string[] = []
    for await (const { CommonPrefixes = [] } of this.#list({ Prefix: this.#prefix, Delimiter: '/' }))
      for (const { Prefix = '' } of CommonPrefixes) folders.push(Prefix.slice(this.#prefix.length, -1))
    return folders.sort()
  }

  /** A file appears when its last part has arrived. What a process that was killed has sent stays in the bucket as an incomplete upload. */
  async write(path: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const body = Readable.from(this.#limitSize(path, content), { objectMode: false })
    const upload = new Upload({
      client: this.#client,
      params: { Bucket: this.#bucket, Key: this.#prefix + path, Body: body },
      partSize: partBytes,
      queueSize: maxConcurrentUploads,
    })
    const abort = () => void upload.abort()
    signal?.addEventListener('abort', abort)
    try {
      signal?.throwIfAborted()
      await upload.done()
    } catch (error) {
      signal?.throwIfAborted()
      this.#fail(error)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  async *#limitSize(path: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let sizeBytes = 0
    for await (const chunk of content) {
      sizeBytes += chunk.length
      if (sizeBytes > this.#maxFileBytes)
        throw new BackupFileTooLarge(
          `${path} would be larger than ${this.#maxFileBytes} bytes, which is the maximum in a bucket. Write backups to a directory.`,
        )
      yield chunk
    }
  }

  async hasFile(path: string): Promise<boolean> {
    const found = await this.#client
      .send(new HeadObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + path }))
      .catch((error: unknown) => (error instanceof NotFound ? undefined : this.#fail(error)))
    return found !== undefined
  }

  async *read(path: string): AsyncGenerator<Uint8Array> {
    const object = await this.#client
      .send(new GetObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + path }))
      .catch((error: unknown) => {
        if (error instanceof NoSuchKey) throw new BackupFileMissing(path)
        return this.#fail(error)
      })
    yield* this.#readWhileActive(path, object.Body as unknown as IncomingMessage)
  }

  /** Replaces the SDK's timeout, which ends with the headers of the response, or also counts the time that the reader takes. */
  async *#readWhileActive(path: string, body: IncomingMessage): AsyncGenerator<Uint8Array> {
    body.setTimeout(0)
    const chunks = body[Symbol.asyncIterator]()
    const seconds = this.#idleTimeoutMs / 1000
    const silent = new BackupError(`${this.description}${path} cannot be read: nothing arrived for ${seconds} seconds.`)
    try {
      for (;;) {
        const timer = setTimeout(() => body.destroy(silent), this.#idleTimeoutMs)
        const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
        if (done) return
        yield value
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      body.destroy()
    }
  }

  async deleteFolder(name: string): Promise<void> {
    const folder = `${this.#prefix}${name}/`
    // First the manifest, so that a folder that is deleted only in part is not a backup any longer.
    await this.#delete(`${folder}manifest.json`)
    const keys: string[] = []
    for await (const { Contents = [] } of this.#list({ Prefix: folder }))
      for (const { Key } of Contents) if (Key !== undefined) keys.push(Key)
    for (const key of keys) await this.#delete(key)
  }

  async *#list(where: { Prefix: string; Delimiter?: string }) {
    try {
      yield* paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket, ...where })
    } catch (error) {
      this.#fail(error)
    }
  }

  async #delete(key: string): Promise<void> {
    const deletion = new DeleteObjectCommand({ Bucket: this.#bucket, Key: key })
    await this.#client.send(deletion).catch((error: unknown) => this.#fail(error))
  }

  /** A wrong key, bucket or address is something that the operator can fix. Other errors are thrown as they are. */
  #fail(error: unknown): never {
    const { name = '', code = '', message } = error as { name?: string; code?: string; message?: string }
    if (error instanceof S3ServiceException || connectionErrors.has(code))
      throw new BackupError(`${this.description} cannot be used: ${name} ${message}`, { cause: error })
    throw error
  }
}
