import { ColophonError } from '@colophon/sdk'
import { QueryClient } from '@tanstack/react-query'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What was refused stays refused; what got lost on the way is worth another try.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ColophonError && error.status !== undefined && error.status < 500),
    },
  },
})
