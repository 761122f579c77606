/** Caches the site of a site key or project, including unknown keys, to save a query per request. */
import type { Id } from '../../platform/ids.ts'
import type { AnalyticsSettingsStore, AnalyticsSite } from './analytics-settings-store.ts'

/** How long other replicas use old settings and revoked keys. With many projects, each sends a beacon only every few seconds. */
const ttlMs = 60_000
const maxEntries = 50_000 // about 50 MB
/** Made-up keys evict each other, and no real ones. A new key works within this time. */
const unknownTtlMs = 5_000
const maxUnknown = 10_000

export class AnalyticsSiteCache {
  readonly #settings: Pick<AnalyticsSettingsStore, 'findBySiteKey' | 'read'>
  readonly #byKey = new Cache<string, AnalyticsSite | undefined>(ttlMs, maxEntries)
  readonly #unknownKeys = new Cache<string, undefined>(unknownTtlMs, maxUnknown)
  readonly #byProject = new Cache<Id<'prj'>, AnalyticsSite>(ttlMs, maxEntries)

  constructor(settings: Pick<AnalyticsSettingsStore, 'findBySiteKey' | 'read'>) {
    this.#settings = settings
  }

  async findBySiteKey(siteKey: string): Promise<AnalyticsSite | undefined> {
    if (this.#unknownKeys.has(siteKey)) return undefined
    const site = await this.#byKey.readThrough(siteKey, (key) => this.#settings.findBySiteKey(key))
    if (!site) {
      this.#byKey.delete(siteKey)
      await this.#unknownKeys.readThrough(siteKey, async () => undefined)
    }
    return site
  }

  findByProject(projectId: Id<'prj'>): Promise<AnalyticsSite> {
    return this.#byProject.readThrough(projectId, (id) => this.#settings.read(id))
  }

  /** Called after a change, so that it takes effect immediately in this process. Other replicas follow within a minute. */
  clear(): void {
    this.#byKey.clear()
    this.#unknownKeys.clear()
    this.#byProject.clear()
  }
}

class Cache<Key, Value> {
  readonly #entries = new Map<Key, { value: Promise<Value>; expiresMs: number }>()
  readonly #ttlMs: number
  readonly #maxEntries: number

  constructor(ttl: number, max: number) {
    this.#ttlMs = ttl
    this.#maxEntries = max
  }

  has(key: Key): boolean {
    return (this.#entries.get(key)?.expiresMs ?? 0) > performance.now()
  }

  readThrough(key: Key, read: (key: Key) => Promise<Value>): Promise<Value> {
    const cached = this.#entries.get(key)
    if (cached && cached.expiresMs > performance.now()) return cached.value
    const value = read(key)
    value.catch(() => this.#entries.delete(key)) // failures are not cached
    this.#entries.delete(key) // moves the key to the end of the order
    this.#entries.set(key, { value, expiresMs: performance.now() + this.#ttlMs })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break
      this.#entries.delete(oldest)
    }
    return value
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
