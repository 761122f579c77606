/** The range, the time zone and the AI scope of a page. */
import { Group, Select, Skeleton, Switch, Text, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { formatDayRange, rangeLabels, resolveRangeName } from './period.ts'
import { viewSettingsQuery } from './queries.ts'
import { type RangeName, rangeNames } from './search.ts'
import { useAnalyticsSearchParams } from './use-analytics-search-params.ts'
import { readBrowserTimeZone } from './zoned-days.ts'

/** Loaded on demand, because it contains a calendar that few people open. */
const DayRangeInput = lazy(async () => ({ default: (await import('./day-range-input.tsx')).DayRangeInput }))

const ranges = rangeNames.map((value) => ({ value, label: rangeLabels[value] }))

export function AnalyticsFilterBar({ hasAiSwitch = false }: { hasAiSwitch?: boolean }) {
  const { search, period, change } = useAnalyticsSearchParams()
  const range = resolveRangeName(search)
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
          <DayRangeInput
            days={period.days}
            zone={period.zone}
            onChange={([from, to]) => change({ range: 'custom', from, to, list: undefined })}
          />
        </Suspense>
      ) : (
        <Text size="sm" pb={8} visibleFrom="md">
          {formatDayRange(period.days)}
        </Text>
      )}
      <ZoneSelect />
      {hasAiSwitch && <AiSwitch />}
    </Group>
  )
}

function ZoneSelect() {
  const { period, change } = useAnalyticsSearchParams()
  // The list has 400 names, so it is filled when it is opened, not when the page is.
  const [wasOpened, setWasOpened] = useState(false)
  const zones = useMemo(
    () => [
      ...new Set([readBrowserTimeZone(), 'UTC', period.zone, ...(wasOpened ? Intl.supportedValuesOf('timeZone') : [])]),
    ],
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
      onChange={(zone) => change({ zone: zone === null || zone === readBrowserTimeZone() ? undefined : zone })}
    />
  )
}

const explanation =
  'Counts only assistants and agents that read a page for a user. Otherwise, crawlers for AI search and AI training count as ' +
  'AI, too.'

function AiSwitch() {
  const { projectId, search, change } = useAnalyticsSearchParams()
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
