/** Pages with the most views first, each with its human and AI views. */
import type { ViewsResult } from '@colophon/sdk'
import { ActionIcon, Box, Button, Group, Paper, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconChevronLeft, IconChevronRight, IconDownload, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { AnchorLink } from '../shown/links.tsx'
import { formatCount } from './format-numbers.ts'
import { HumanAiBar } from './human-ai-bar.tsx'
import { pagesPerList } from './queries.ts'
import { useAnalyticsSearchParams } from './use-analytics-search-params.ts'

export function TopPages({ pages, isStale }: { pages: ViewsResult | undefined; isStale: boolean }) {
  const { projectId, search, period, change } = useAnalyticsSearchParams()
  const { list = 1 } = search
  const csv = new URLSearchParams({ ...period.dates, ...(search.ai !== undefined && { aiScope: search.ai }) })
  return (
    <Paper withBorder p="md" aria-busy={pages === undefined || isStale}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h4">
          Pages
        </Title>
        <Group gap="xs">
          <PageSearch />
          <Button
            component="a"
            href={`/v1/analytics/${projectId}/views.csv?${csv}`}
            download
            variant="default"
            size="xs"
            leftSection={<IconDownload size={16} />}
          >
            Export CSV
          </Button>
        </Group>
      </Group>
      <Box style={{ opacity: isStale ? 0.5 : 1, transition: 'opacity 150ms' }}>
        {pages === undefined ? <Skeleton h={320} /> : <PageTable pages={pages} />}
      </Box>
      {pages && (list > 1 || pages.hasMore) && (
        <Group justify="flex-end" mt="sm" gap="xs">
          <Text size="sm" className="numbers">
            {(list - 1) * pagesPerList + 1} to {(list - 1) * pagesPerList + pages.views.length}
          </Text>
          <ActionIcon
            variant="default"
            aria-label="Previous pages"
            disabled={list === 1}
            onClick={() => change({ list: list === 2 ? undefined : list - 1 })}
          >
            <IconChevronLeft size={16} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            aria-label="Next pages"
            disabled={!pages.hasMore}
            onClick={() => change({ list: list + 1 })}
          >
            <IconChevronRight size={16} />
          </ActionIcon>
        </Group>
      )}
    </Paper>
  )
}

/** Follows the URL, which also changes by going back. */
function PageSearch() {
  const { search, change } = useAnalyticsSearchParams()
  const queryInUrl = search.q ?? ''
  const [typed, setTyped] = useState(queryInUrl)
  const sent = useRef(queryInUrl) // ignores the URL that this field has set itself, because typing may have continued since
  const find = useDebouncedCallback((q: string) => {
    sent.current = q
    change({ q: q === '' ? undefined : q, list: undefined })
  }, 250)
  useEffect(() => {
    if (queryInUrl === sent.current) return
    sent.current = queryInUrl
    setTyped(queryInUrl)
  }, [queryInUrl])
  return (
    <TextInput
      aria-label="Search pages by path"
      placeholder="Search paths"
      leftSection={<IconSearch size={16} />}
      maxLength={200}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        find(value)
      }}
      size="xs"
    />
  )
}

const numberColumn = { width: '4.6em', textAlign: 'right' } as const

function PageTable({ pages: { views, coverage } }: { pages: ViewsResult }) {
  const { projectId, search } = useAnalyticsSearchParams()
  const largest = Math.max(0, ...views.map(({ total }) => total))
  const { q: _q, list: _list, ...otherSearch } = search
  if (views.length === 0) {
    return (
      <Text size="sm" py="md">
        {search.q === undefined
          ? 'No page views in this range.'
          : `No page views in this range for paths that contain “${search.q}”.`}
      </Text>
    )
  }
  return (
    <Table layout="fixed" verticalSpacing={6} horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Page</Table.Th>
          <Table.Th style={numberColumn}>Human</Table.Th>
          <Table.Th style={numberColumn}>AI</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {views.map(({ path, human, ai }) => (
          <Table.Tr key={path}>
            <Table.Td>
              <Stack gap={4}>
                <AnchorLink
                  to="/projects/$projectId/analytics/page"
                  params={{ projectId }}
                  search={{ ...otherSearch, path }}
                  size="sm"
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {path}
                </AnchorLink>
                <HumanAiBar human={human} ai={ai} largest={largest} />
              </Stack>
            </Table.Td>
            <Table.Td style={numberColumn} className="numbers">
              {coverage.human === 'measured' ? formatCount(human) : '–'}
            </Table.Td>
            <Table.Td style={numberColumn} className="numbers">
              {coverage.ai === 'measured' ? formatCount(ai) : '–'}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
