/** What an operation is given, and what it may answer. */
import type { Need } from './access.ts'
import type { Answer } from './api-error.ts'
import type { Caller } from './authenticate.ts'
import type { World } from './events.ts'
import type { Repository } from './state.ts'

/** What comes to every operation. */
export interface Call extends World {
  caller: Caller
  params: Record<string, string>
  query: Record<string, unknown>
  /** As the description has it: checked before. */
  body: Record<string, unknown>
  /** As asked, for links to other pages. */
  url: URL
}

export type RepositoryCall = Call & { repository: Repository }

export type Operation =
  /** No one in particular. */
  | { by: 'anyone'; handle: (call: Call) => Promise<Answer> | Answer }
  /** One of these permissions on the repository of the path. */
  | { by: 'repository'; needs: readonly Need[]; handle: (call: RepositoryCall) => Promise<Answer> | Answer }

export type Operations = Record<string, Operation>

export const forAnyone = (handle: (call: Call) => Promise<Answer> | Answer): Operation => ({ by: 'anyone', handle })

export const onRepository = (
  needs: Need | readonly Need[],
  handle: (call: RepositoryCall) => Promise<Answer> | Answer,
): Operation => ({ by: 'repository', needs: typeof needs === 'string' ? [needs] : needs, handle })

/** A page of a list, with the `link` header that leads to the others: by the repository's number, as GitHub does it. */
export function pageOf<T>(
  items: readonly T[],
  call: Call | RepositoryCall,
): { items: T[]; headers: Record<string, string> } {
  const { query, url, state } = call
  const path =
    'repository' in call
      ? url.pathname.replace(/\/repos\/[^/]+\/[^/]+/, `/repositories/${call.repository.id}`)
      : url.pathname
  const perPage = Math.min(Number(query.per_page ?? 30), 100)
  const page = Number(query.page ?? 1)
  const last = Math.max(1, Math.ceil(items.length / perPage))
  const links = [
    ...(page > 1 ? [['prev', page - 1] as const] : []),
    ...(page < last
      ? ([
          ['next', page + 1],
          ['last', last],
        ] as const)
      : []),
    ...(page > 1 ? [['first', 1] as const] : []),
  ].map(([name, number]) => {
    const target = new URL(path + url.search, state.url)
    target.searchParams.set('page', String(number))
    return `<${target}>; rel="${name}"`
  })
  return {
    items: items.slice((page - 1) * perPage, page * perPage),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  }
}
