/** Caches the site of a site key or project for a few seconds, including unknown keys, to save a query per request. */
import type { Id } from '../../platform/ids.ts'
import type { AnalyticsSettingsStore, AnalyticsSite } from './analytics-settings-store.ts'

const ttlMs = 5_000
const maxEntries = 10_000 // made-up site keys evict each other

export class AnalyticsSiteCache {
  readonly #settings: Pick<AnalyticsSettingsStore, 'findBySiteKey' | 'read'>
  readonly #byKey = new Map<string, CacheEntry<AnalyticsSite | undefined>>()
  readonly #byProject = new Map<Id<'prj'>, CacheEntry<AnalyticsSite>>()

  constructor(settings: Pick<AnalyticsSettingsStore, 'findBySiteKey' | 'read'>) {
    this.#settings = settings
  }

  findBySiteKey(siteKey: string): Promise<AnalyticsSite | undefined> {
    return readThrough(this.#byKey, siteKey, (key) => this.#settings.findBySiteKey(key))
  }

  findByProject(projectId: Id<'prj'>): Promise<AnalyticsSite> {
    return readThrough(this.#byProject, projectId, (id) => this.#settings.read(id))
  }

  /** Called after a change, so that it takes effect immediately in this process. Other replicas follow within seconds. */
  clear(): void {
    this.#byKey.clear()
    this.#byProject.clear()
  }
}

interface CacheEntry<Value> {
  value: Promise<Value>
  expiresMs: number
}

function readThrough<Key, Value>(
  cache: Map<Key, CacheEntry<Value>>,
  key: Key,
  read: (key: Key) => Promise<Value>,
): Promise<Value> {
  const cached = cache.get(key)
  if (cached && cached.expiresMs > performance.now()) return cached.value
  const value = read(key)
  value.catch(() => cache.delete(key)) // failures are not cached
  cache.delete(key) // moves the key to the end of the order
  cache.set(key, { value, expiresMs: performance.now() + ttlMs })
  for (const oldest of cache.keys()) {
    if (cache.size <= maxEntries) break
    cache.delete(oldest)
  }
  return value
}
