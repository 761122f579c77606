/** Pages by views, most read first, each with both shares. */
import type { ViewsResult } from '@colophon/sdk'
import { ActionIcon, Box, Button, Group, Paper, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconChevronLeft, IconChevronRight, IconDownload, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { AnchorLink } from '../shown/links.tsx'
import { written } from './numbers.ts'
import { rowsOfList } from './queries.ts'
import { TwoPartBar } from './two-part-bar.tsx'
import { useAnalytics } from './use-analytics.ts'

export function TopPages({ pages, isOld }: { pages: ViewsResult | undefined; isOld: boolean }) {
  const { projectId, search, period, change } = useAnalytics()
  const { list = 1 } = search
  const csv = new URLSearchParams({ ...period.dates, ...(search.ai !== undefined && { ai: search.ai }) })
  return (
    <Paper withBorder p="md" aria-busy={pages === undefined || isOld}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h4">
          Pages
        </Title>
        <Group gap="xs">
          <FindPages />
          <Button
            component="a"
            href={`/v1/analytics/${projectId}/views.csv?${csv}`}
            download
            variant="default"
            size="xs"
            leftSection={<IconDownload size={16} />}
          >
            All pages as CSV
          </Button>
        </Group>
      </Group>
      <Box style={{ opacity: isOld ? 0.5 : 1, transition: 'opacity 150ms' }}>
        {pages === undefined ? <Skeleton h={320} /> : <PageTable pages={pages} />}
      </Box>
      {pages && (list > 1 || pages.hasMore) && (
        <Group justify="flex-end" mt="sm" gap="xs">
          <Text size="sm" className="numbers">
            {(list - 1) * rowsOfList + 1} to {(list - 1) * rowsOfList + pages.views.length}
          </Text>
          <ActionIcon
            variant="default"
            aria-label="Pages before these"
            disabled={list === 1}
            onClick={() => change({ list: list === 2 ? undefined : list - 1 })}
          >
            <IconChevronLeft size={16} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            aria-label="Pages after these"
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

/** Shows what the address says, also when that changes by going back. */
function FindPages() {
  const { search, change } = useAnalytics()
  const inAddress = search.q ?? ''
  const [typed, setTyped] = useState(inAddress)
  const sent = useRef(inAddress) // its own echo: somebody may have typed on since
  const find = useDebouncedCallback((q: string) => {
    sent.current = q
    change({ q: q === '' ? undefined : q, list: undefined })
  }, 250)
  useEffect(() => {
    if (inAddress === sent.current) return
    sent.current = inAddress
    setTyped(inAddress)
  }, [inAddress])
  return (
    <TextInput
      aria-label="Find pages by a text in their path"
      placeholder="Find in paths"
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

const narrow = { width: '4.6em', textAlign: 'right' } as const

function PageTable({ pages: { views, coverage } }: { pages: ViewsResult }) {
  const { projectId, search } = useAnalytics()
  const largest = Math.max(0, ...views.map(({ total }) => total))
  const { q: _q, list: _list, ...kept } = search
  if (views.length === 0) {
    return (
      <Text size="sm" py="md">
        {search.q === undefined
          ? 'No page was read in this range.'
          : `No page with “${search.q}” in its path was read in this range.`}
      </Text>
    )
  }
  return (
    <Table layout="fixed" verticalSpacing={6} horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Page</Table.Th>
          <Table.Th style={narrow}>People</Table.Th>
          <Table.Th style={narrow}>AI</Table.Th>
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
                  search={{ ...kept, path }}
                  size="sm"
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {path}
                </AnchorLink>
                <TwoPartBar human={human} ai={ai} largest={largest} />
              </Stack>
            </Table.Td>
            <Table.Td style={narrow} className="numbers">
              {coverage.human === 'measured' ? written(human) : '–'}
            </Table.Td>
            <Table.Td style={narrow} className="numbers">
              {coverage.ai === 'measured' ? written(ai) : '–'}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
