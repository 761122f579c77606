import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useCurrentMinute } from './current-minute.ts'
import { toPeriod } from './period.ts'
import type { AnalyticsSearchParams } from './search.ts'

/** Undefined removes a parameter from the URL. */
type Changes = { [Name in keyof AnalyticsSearchParams]: AnalyticsSearchParams[Name] | undefined }

/** The query parameters of the page, the period that they stand for, and a function that changes them. */
export function useAnalyticsSearchParams() {
  const { projectId } = useParams({ from: '/signed-in/projects/$projectId' })
  const search: AnalyticsSearchParams = useSearch({ strict: false })
  const navigate = useNavigate()
  const now = useCurrentMinute()
  const { range, from, to, zone } = search
  const period = useMemo(
    () =>
      toPeriod(
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
      search: (old) => ({ ...old, ...changes }) as AnalyticsSearchParams,
      replace: true,
      resetScroll: false,
    })
  return { projectId, search, period, change }
}
