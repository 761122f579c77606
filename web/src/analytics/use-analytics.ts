import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { periodOf } from './period.ts'
import type { AnalyticsSearch } from './search.ts'
import { useThisMinute } from './this-minute.ts'

/** What undefined stands for is left out of the address. */
type Changes = { [Name in keyof AnalyticsSearch]: AnalyticsSearch[Name] | undefined }

/** What the address of the page asks for, and how to ask for something else. */
export function useAnalytics() {
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId' })
  const search: AnalyticsSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const now = useThisMinute()
  const { range, from, to, zone } = search
  const period = useMemo(
    () =>
      periodOf(
        {
          ...(range !== undefined && { range }),
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
          ...(zone !== undefined && { zone }),
        },
        now,
      ),
    [range, from, to, zone, now],
  )
  const change = (changes: Changes) =>
    void navigate({
      to: '.',
      search: (old) => ({ ...old, ...changes }) as AnalyticsSearch,
      replace: true,
      resetScroll: false,
    })
  return { projectId, search, period, change }
}
