import { BackupError } from './backup-error.ts'
import { DirectoryStorage } from './directory-storage.ts'
import { ResponsiveStorage } from './responsive-storage.ts'
import { type S3Access, S3Storage } from './s3-storage.ts'
import type { BackupStorage } from './storage.ts'

/** `target`: a directory, or a bucket like `s3://bucket/folder`. */
export function openStorage(target: string, s3: S3Access): BackupStorage {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(target)) return new ResponsiveStorage(new DirectoryStorage(target))
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/([^?#]*))?$/.exec(target) ?? []
  if (bucket === undefined)
    throw new BackupError(`${target} is neither a directory nor a bucket, like s3://bucket/folder.`)
  const folder = prefix.replace(/\/+$/, '')
  return new S3Storage({ bucket, prefix: folder === '' ? '' : `${folder}/` }, s3)
}
