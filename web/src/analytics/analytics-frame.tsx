import { Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHeader } from '../shown/page-header.tsx'
import './analytics.css'
import { useAnalytics } from './use-analytics.ts'

/**
 * The top of every page about views: its name; and on a phone, where the navigation is folded away, the way to the others, which
 * keeps the range.
 */
export function AnalyticsFrame({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  const { projectId, search } = useAnalytics()
  const { range, from, to, zone, ai } = search
  const kept = {
    ...(range !== undefined && { range }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(zone !== undefined && { zone }),
    ...(ai !== undefined && { ai }),
  }
  const tab = { params: { projectId }, search: kept, className: 'analytics-tab' }
  return (
    <>
      {/* A path may be the title, and longer than a phone is wide. */}
      <div style={{ overflowWrap: 'anywhere' }}>
        <PageHeader title={title} lead={lead} />
      </div>
      <Group component="nav" aria-label="Analytics" gap="lg" mb="lg" hiddenFrom="md">
        <Link to="/projects/$projectId/analytics" activeOptions={{ exact: true, includeSearch: false }} {...tab}>
          Overview
        </Link>
        <Link to="/projects/$projectId/analytics/clients" activeOptions={{ includeSearch: false }} {...tab}>
          Readers
        </Link>
        <Link to="/projects/$projectId/analytics/sources" activeOptions={{ includeSearch: false }} {...tab}>
          Sources
        </Link>
      </Group>
      {children}
    </>
  )
}
