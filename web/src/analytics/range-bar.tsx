/** The range, the time zone and the AI scope of a page. */
import { Group, Select, Skeleton, Switch, Text, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { effectiveRange, formatDays, rangeLabels } from './period.ts'
import { viewSettingsQuery } from './queries.ts'
import { type RangeName, rangeNames } from './search.ts'
import { useAnalytics } from './use-analytics.ts'
import { browserZone } from './zoned-days.ts'

/** Loaded on demand, because it contains a calendar that few people open. */
const CustomDays = lazy(async () => ({ default: (await import('./custom-days.tsx')).CustomDays }))

const ranges = rangeNames.map((value) => ({ value, label: rangeLabels[value] }))

export function RangeBar({ hasAiSwitch = false }: { hasAiSwitch?: boolean }) {
  const { search, period, change } = useAnalytics()
  const range = effectiveRange(search)
  const [first, last] = period.days
  return (
    <Group align="flex-end" gap="sm" mb="md">
      <Select
        label="Range"
        data={ranges}
        value={range}
        allowDeselect={false}
        w={130}
        onChange={(value) =>
          change({
            range: value as RangeName,
            ...(value === 'custom' ? { from: first, to: last } : { from: undefined, to: undefined }),
            list: undefined,
          })
        }
      />
      {range === 'custom' ? (
        <Suspense fallback={<Skeleton w={240} h={36} />}>
          <CustomDays
            days={period.days}
            zone={period.zone}
            onChange={([from, to]) => change({ range: 'custom', from, to, list: undefined })}
          />
        </Suspense>
      ) : (
        <Text size="sm" pb={8} visibleFrom="md">
          {formatDays(period.days)}
        </Text>
      )}
      <ZoneSelect />
      {hasAiSwitch && <AiSwitch />}
    </Group>
  )
}

function ZoneSelect() {
  const { period, change } = useAnalytics()
  // The list has 400 names, so it is filled when it is opened, not when the page is.
  const [wasOpened, setWasOpened] = useState(false)
  const zones = useMemo(
    () => [...new Set([browserZone(), 'UTC', period.zone, ...(wasOpened ? Intl.supportedValuesOf('timeZone') : [])])],
    [period.zone, wasOpened],
  )
  return (
    <Select
      label="Time zone"
      data={zones}
      value={period.zone}
      searchable
      allowDeselect={false}
      limit={100}
      w={190}
      nothingFoundMessage="No matching time zone"
      onDropdownOpen={() => setWasOpened(true)}
      onChange={(zone) => change({ zone: zone === null || zone === browserZone() ? undefined : zone })}
    />
  )
}

const explanation =
  'Counts only assistants and agents that read a page for a user. Otherwise, crawlers for AI search and AI training count as ' +
  'AI, too.'

function AiSwitch() {
  const { projectId, search, change } = useAnalytics()
  const { data: settings } = useQuery(viewSettingsQuery(projectId))
  const ai = search.ai ?? settings?.aiScope ?? 'all'
  return (
    <Tooltip label={explanation} multiline w={280} events={{ hover: true, focus: true, touch: true }}>
      <div style={{ paddingBottom: 8 }}>
        <Switch
          label="AI: assistants only"
          aria-description={explanation}
          checked={ai === 'assistants'}
          onChange={({ currentTarget: { checked } }) => change({ ai: checked ? 'assistants' : 'all', list: undefined })}
        />
      </div>
    </Tooltip>
  )
}
