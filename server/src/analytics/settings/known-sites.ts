/** Whose site a request is of, without asking PostgreSQL for each: what was found, or not found, holds for some seconds. */
import type { Id } from '../../platform/ids.ts'
import type { SettingsStore, Site } from './settings-store.ts'

const holdsForMs = 5_000
const maxSites = 10_000 // made-up ones push each other out

export class KnownSites {
  readonly #settings: Pick<SettingsStore, 'findBySiteKey' | 'read'>
  readonly #byKey = new Map<string, Known<Site | undefined>>()
  readonly #byProject = new Map<Id<'prj'>, Known<Site>>()

  constructor(settings: Pick<SettingsStore, 'findBySiteKey' | 'read'>) {
    this.#settings = settings
  }

  find(siteKey: string): Promise<Site | undefined> {
    return remembered(this.#byKey, siteKey, (key) => this.#settings.findBySiteKey(key))
  }

  ofProject(projectId: Id<'prj'>): Promise<Site> {
    return remembered(this.#byProject, projectId, (id) => this.#settings.read(id))
  }

  /** Somebody has just changed something: they would not understand an old answer. */
  forget(): void {
    this.#byKey.clear()
    this.#byProject.clear()
  }
}

interface Known<Found> {
  found: Promise<Found>
  untilMs: number
}

function remembered<Name, Found>(
  known: Map<Name, Known<Found>>,
  name: Name,
  ask: (name: Name) => Promise<Found>,
): Promise<Found> {
  const before = known.get(name)
  if (before && before.untilMs > performance.now()) return before.found
  const found = ask(name)
  found.catch(() => known.delete(name)) // an answer that failed is none
  known.delete(name) // to the end of the order
  known.set(name, { found, untilMs: performance.now() + holdsForMs })
  for (const oldest of known.keys()) {
    if (known.size <= maxSites) break
    known.delete(oldest)
  }
  return found
}
