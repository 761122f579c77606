import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { client } from './client.ts'

/** Who is signed in, and what the way in needs. Asked again when the window is looked at again. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => client.session.get({ signal }),
})

export const useSession = () => useSuspenseQuery(sessionQuery).data
