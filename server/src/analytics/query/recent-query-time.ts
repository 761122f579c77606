/** How much query time each project has used recently. Older time counts less and less: half after each half-life. */
import type { Id } from '../../platform/ids.ts'

const halfLifeMs = 30_000
/** Less than this is forgotten. */
const minMs = 10
const maxProjects = 10_000

interface Usage {
  ms: number
  atMs: number
}

export class RecentQueryTime {
  readonly #usage = new Map<Id<'prj'>, Usage>()

  add(projectId: Id<'prj'>, ms: number): void {
    this.#usage.set(projectId, { ms: this.read(projectId) + ms, atMs: performance.now() })
    if (this.#usage.size > maxProjects) this.#removeSmall()
  }

  read(projectId: Id<'prj'>): number {
    const usage = this.#usage.get(projectId)
    return usage === undefined ? 0 : decay(usage)
  }

  #removeSmall(): void {
    for (const [projectId, usage] of this.#usage) if (decay(usage) < minMs) this.#usage.delete(projectId)
  }
}

const decay = ({ ms, atMs }: Usage) => ms * 0.5 ** ((performance.now() - atMs) / halfLifeMs)
