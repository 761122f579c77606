/** The projects and the time range of a block's views, so that queries about the block read nothing else. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { BlockContent } from './block-store.ts'

export interface BlockScope {
  projectIds: readonly string[]
  /** Seconds since the epoch, as text, as in the lines of a batch. */
  firstAt: string
  lastAt: string
}

const decompress = promisify(gunzip)

/** `encodeView` writes the project and the time first. */
const lineStart = /^\["([a-z]+_[0-9a-z]+)","(\d+\.\d{3})"/gm

/** Undefined: no line is a view. ClickHouse rejects such a block. */
export async function readBlockScope({ bodies }: BlockContent): Promise<BlockScope | undefined> {
  const projectIds = new Set<string>()
  let firstAt = Number.POSITIVE_INFINITY
  let lastAt = Number.NEGATIVE_INFINITY
  for (const body of bodies) {
    const text = await decompress(body).catch(() => Buffer.alloc(0))
    for (const [, projectId = '', at = ''] of text.toString().matchAll(lineStart)) {
      projectIds.add(projectId)
      firstAt = Math.min(firstAt, Number(at))
      lastAt = Math.max(lastAt, Number(at))
    }
  }
  if (projectIds.size === 0) return undefined
  return { projectIds: [...projectIds], firstAt: firstAt.toFixed(3), lastAt: lastAt.toFixed(3) }
}
