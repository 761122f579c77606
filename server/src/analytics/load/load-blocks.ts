/** One round of the loader: first the blocks of earlier rounds, then new ones from the waiting batches. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { Log } from '../../platform/log.ts'
import { countMetric } from '../../platform/metrics/metrics.ts'
import { isServiceUnavailable } from '../../platform/service-unavailable.ts'
import { withSpan } from '../../platform/tracing/spans.ts'
import { killBlockQueries } from './block-query.ts'
import type { BlockContent, BlockStore, ViewBlock, WaitingBatch } from './block-store.ts'
import { insertBlock, isBlockContentError } from './insert-block.ts'
import { reconcileBlock } from './reconcile-block.ts'
import { findSentBlocks, isLoaded, recordSentBatches } from './sent-batches.ts'
import type { StandbyWait } from './standby-wait.ts'

const maxRejections = 5
const retryAfterSeconds = { rejected: 1, failed: 10 }

interface LoaderDeps {
  store: BlockStore
  standbys: StandbyWait
  clickhouse: ClickHouseClient
  log: Log
}

/** Rejects when PostgreSQL fails. Failures of ClickHouse are recorded and retried in a later round. */
export async function loadBlocks(deps: LoaderDeps): Promise<{ hasMore: boolean }> {
  for (const block of await deps.store.listUnfinished()) {
    // Start no new blocks in a round with a failure: they would probably fail too, and every block that was started has to
    // be reconciled later. The next round does not wait for postponed blocks.
    if ((await tryLoad(deps, block, { wasSentBefore: true })) === 'failed') return { hasMore: false }
  }
  const { waiting, hasMore: moreWait } = await deps.store.listWaiting()
  const unsent = await tryRemoveLoaded(deps, waiting)
  if (!unsent) return { hasMore: false }
  const { blocks, hasMore } = await deps.store.createBlocks(unsent)
  for (const block of blocks) {
    if ((await tryLoad(deps, block, { wasSentBefore: false })) === 'failed') return { hasMore: false }
  }
  return { hasMore: hasMore || moreWait }
}

/** Deletes batches that ClickHouse has already, and returns the others. Undefined: ClickHouse failed. */
async function tryRemoveLoaded(
  { store, clickhouse, log }: LoaderDeps,
  waiting: readonly WaitingBatch[],
): Promise<WaitingBatch[] | undefined> {
  const askClickhouse = <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> =>
    answer.catch((error: unknown) => {
      log.warn({ error: String(error).slice(0, 1_000) }, 'could not load views, will retry')
      return undefined
    })
  const sentBlocks = await askClickhouse(findSentBlocks(clickhouse, waiting))
  if (!sentBlocks) return undefined
  const unsent: WaitingBatch[] = []
  for (const batch of waiting) {
    const blockIds = sentBlocks.get(batch.key)
    const content = blockIds && (await store.readContent({ batchIds: [batch.id] }))
    const isInClickhouse = content ? await askClickhouse(isLoaded(clickhouse, content, blockIds)) : false
    if (isInClickhouse === undefined) return undefined
    if (isInClickhouse) {
      log.warn({ batch: batch.id, rows: batch.rows }, 'PostgreSQL has lost changes: these views are loaded already')
      await store.deleteBatch(batch)
    } else unsent.push(batch)
  }
  return unsent
}

async function tryLoad(
  deps: LoaderDeps,
  block: ViewBlock,
  { wasSentBefore }: { wasSentBefore: boolean },
): Promise<'done' | 'failed'> {
  const { store, standbys } = deps
  const content = await store.readContent(block)
  await standbys.wait()
  const attributes = { 'colophon.block_id': String(block.id), 'colophon.views': content.rows }
  return withSpan('load views', { parent: null, attributes }, () =>
    store.whileNotPaused(() => send(deps, block, { content, wasSentBefore })),
  )
}

async function send(
  deps: LoaderDeps,
  block: ViewBlock,
  { content, wasSentBefore }: { content: BlockContent; wasSentBefore: boolean },
): Promise<'done' | 'failed'> {
  const { store, clickhouse, log } = deps
  try {
    if (wasSentBefore) await killBlockQueries(clickhouse, block.id)
    if (content.rows > 0) await recordSentBatches(clickhouse, block)
    if (content.rows > 0) await insertBlock(clickhouse, block.id, content)
    if (content.rows > 0 && wasSentBefore) await reconcileBlock(clickhouse, block, content)
  } catch (error) {
    const message = String(error).slice(0, 1_000)
    const isRejected = isBlockContentError(error)
    countMetric('colophon_view_loads_total', { result: isRejected ? 'rejected' : 'failed' })
    if (isRejected) {
      await handleRejection(deps, block, message)
      return 'done'
    }
    log.warn(
      { block: block.id, month: block.month, rows: content.rows, error: message },
      'could not load views, will retry',
    )
    if (!isServiceUnavailable(error)) await store.postpone(block, retryAfterSeconds.failed, message)
    return 'failed'
  }
  await store.finish(block)
  countMetric('colophon_view_loads_total', { result: 'loaded' })
  countMetric('colophon_views_loaded_total', {}, { by: content.rows })
  return 'done'
}

/** A bad batch must not block the others: its block is split in halves until the batch is alone, and then quarantined. */
async function handleRejection({ store, log }: LoaderDeps, block: ViewBlock, error: string): Promise<void> {
  if (block.rejections + 1 < maxRejections) return store.recordRejection(block, retryAfterSeconds.rejected, error)
  if (block.batchIds.length > 1) return store.split(block)
  await store.quarantine(block, error)
  log.error({ block: block.id, batch: block.batchIds[0], error }, 'batch of views quarantined: ClickHouse rejects it')
}
