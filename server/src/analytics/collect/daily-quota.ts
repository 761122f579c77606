/** Limits how many views of a project may be counted per day (UTC). */
import type { Id } from '../../platform/ids.ts'

interface DayCount {
  day: number
  /** By this replica. */
  counted: number
  /** By all replicas, when it was last read. */
  total: number
  readAtMs: number
}

const dayMs = 24 * 3600 * 1000
const readTotalEveryMs = 60_000

export class DailyQuota {
  readonly #maxPerDay: number
  readonly #readTotal: (projectId: Id<'prj'>) => Promise<number>
  readonly #days = new Map<Id<'prj'>, DayCount>()

  /** `readTotal`: how many views of a project all replicas have counted today. */
  constructor(maxPerDay: number, readTotal: (projectId: Id<'prj'>) => Promise<number>) {
    this.#maxPerDay = maxPerDay
    this.#readTotal = readTotal
  }

  isUsedUp(projectId: Id<'prj'>): boolean {
    const count = this.#dayCount(projectId)
    return Math.max(count.counted, count.total) >= this.#maxPerDay
  }

  recordCounted(projectId: Id<'prj'>, views = 1): void {
    const count = this.#dayCount(projectId)
    count.counted += views
    // Only of projects that this replica alone brings near their limit: the total costs a query.
    const isNearLimit = count.counted * 20 >= this.#maxPerDay
    if (!isNearLimit || performance.now() - count.readAtMs < readTotalEveryMs) return
    count.readAtMs = performance.now()
    this.#readTotal(projectId).then(
      (total) => {
        count.total = total
      },
      () => {}, // read again a minute later
    )
  }

  #dayCount(projectId: Id<'prj'>): DayCount {
    const day = Math.floor(Date.now() / dayMs)
    const known = this.#days.get(projectId)
    if (known?.day === day) return known
    const [oldest] = this.#days.values()
    if (oldest && oldest.day !== day) this.#days.clear()
    const count = { day, counted: 0, total: 0, readAtMs: Number.NEGATIVE_INFINITY }
    this.#days.set(projectId, count)
    return count
  }
}
