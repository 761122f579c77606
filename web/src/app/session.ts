import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { client } from './client.ts'

/** The signed-in person, and what the sign-in pages need. Fetched again when the window regains focus. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => client.session.get({ signal }),
})

export const useSession = () => useSuspenseQuery(sessionQuery).data
