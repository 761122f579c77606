/** An object storage with the API of S3: Versity's gateway on a directory. From the PATH, or built from source. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { getOrFillCacheDirectory, isCached } from './cache.ts'
import { findBinary } from './find-binary.ts'
import { freePort } from './free-port.ts'
import { buildGoModule, type GoModule } from './go-build.ts'
import { ManagedProcess } from './managed-process.ts'

const module: GoModule = {
  title: 'Versity S3 Gateway',
  path: 'github.com/versity/versitygw',
  version: 'v1.8.0',
  sum: 'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=',
  commands: { versitygw: './cmd/versitygw' },
  expectedSeconds: 180,
}

export interface ObjectStorage {
  url: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  stop(): Promise<void>
}

/** With an empty bucket. `directory` has the objects and the log. */
export async function startObjectStorage(directory: string): Promise<ObjectStorage> {
  const bucket = 'backups'
  const root = join(directory, 'objects')
  const metadata = join(directory, 'metadata') // not in extended attributes, which not every file system has
  for (const folder of [join(root, bucket), metadata]) mkdirSync(folder, { recursive: true })
  const address = `127.0.0.1:${await freePort()}`
  const keys = { accessKeyId: 'colophon', secretAccessKey: 'colophon-secret' }
  const url = `http://${address}`
  const gateway = new ManagedProcess({
    name: 'object storage',
    command: [await getBinary(), '--port', address, '--quiet', 'posix', '--sidecar', metadata, root],
    env: { PATH: process.env.PATH, ROOT_ACCESS_KEY: keys.accessKeyId, ROOT_SECRET_KEY: keys.secretAccessKey },
    logFile: join(directory, 'object-storage.log'),
    isReady: async () => (await fetch(url, { signal: AbortSignal.timeout(1_000) })).status === 403,
    readyWithinSeconds: 30,
  })
  await gateway.start()
  return { url, bucket, ...keys, stop: () => gateway.stop() }
}

const name = 'versitygw'

/** Otherwise starting it builds it first, which takes minutes. */
export const isObjectStorageBuilt = (): boolean => findBinary(name) !== undefined || isCached(name, module.version)

async function getBinary(): Promise<string> {
  const installed = findBinary(name)
  if (installed) return installed
  const directory = await getOrFillCacheDirectory(name, module.version, (part) => buildGoModule(module, part))
  return join(directory, 'bin', name)
}
