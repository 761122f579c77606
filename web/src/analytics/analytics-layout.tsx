import { Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHeader } from '../shown/page-header.tsx'
import './analytics.css'
import { useAnalyticsSearchParams } from './use-analytics-search-params.ts'

/** The header of every analytics page. On phones, where the navigation is hidden, it has links that keep the range. */
export function AnalyticsLayout({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  const { projectId, search } = useAnalyticsSearchParams()
  const { range, from, to, zone, ai } = search
  const rangeSearch = {
    ...(range !== undefined && { range }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(zone !== undefined && { zone }),
    ...(ai !== undefined && { ai }),
  }
  const tabProps = { params: { projectId }, search: rangeSearch, className: 'analytics-tab' }
  return (
    <>
      {/* The title can be a path that is wider than a phone. */}
      <div style={{ overflowWrap: 'anywhere' }}>
        <PageHeader title={title} lead={lead} />
      </div>
      <Group component="nav" aria-label="Analytics" gap="lg" mb="lg" hiddenFrom="md">
        <Link to="/projects/$projectId/analytics" activeOptions={{ exact: true, includeSearch: false }} {...tabProps}>
          Overview
        </Link>
        <Link to="/projects/$projectId/analytics/clients" activeOptions={{ includeSearch: false }} {...tabProps}>
          Clients
        </Link>
        <Link to="/projects/$projectId/analytics/sources" activeOptions={{ includeSearch: false }} {...tabProps}>
          Sources
        </Link>
      </Group>
      {children}
    </>
  )
}
