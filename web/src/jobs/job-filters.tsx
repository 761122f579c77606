import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { JobFilters } from './job-queries.ts'
import { outcomeWords } from './job-words.ts'

const statuses = [
  { value: 'active', label: 'Working' },
  { value: 'completed', label: 'Done' },
  { value: 'failed', label: 'Failed or cancelled' },
  { value: 'archived', label: 'Archived' },
]
const outcomes = Object.entries(outcomeWords).map(([value, label]) => ({ value, label }))
/** Long enough to finish a word, short enough not to be noticed. */
const searchDelayMs = 300

export function JobFilterBar({ filters, onChange }: { filters: JobFilters; onChange: (filters: JobFilters) => void }) {
  return (
    <Group gap="sm" mb="md" align="flex-end" role="search">
      <SearchBox text={filters.q ?? ''} onSearch={(q) => onChange(withOne(filters, 'q', q || null))} />
      <Select
        aria-label="Status"
        placeholder="Any status"
        data={statuses}
        value={filters.status ?? null}
        onChange={(status) => onChange(withOne(filters, 'status', status))}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        w={{ base: 'calc(50% - 6px)', xs: 180 }}
      />
      <Select
        aria-label="Outcome"
        placeholder="Any outcome"
        data={outcomes}
        value={filters.outcome ?? null}
        onChange={(outcome) => onChange(withOne(filters, 'outcome', outcome))}
        clearable
        clearButtonProps={{ 'aria-label': 'Any outcome' }}
        w={{ base: 'calc(50% - 6px)', xs: 160 }}
      />
    </Group>
  )
}

function withOne(filters: JobFilters, name: keyof JobFilters, value: string | null): JobFilters {
  const { [name]: _before, ...others } = filters
  return value === null ? others : { ...others, [name]: value }
}

function SearchBox({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const searched = useRef(text)
  const search = useDebouncedCallback((wanted: string) => {
    searched.current = wanted
    onSearch(wanted)
  }, searchDelayMs)
  // The address changed by itself: back and forward, or filters that were cleared.
  useEffect(() => {
    if (text === searched.current) return
    searched.current = text
    setTyped(text)
  }, [text])
  return (
    <TextInput
      aria-label="Search jobs"
      placeholder="Search title, prompt or id"
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      maxLength={200}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        search(value.trim())
      }}
      flex={{ base: '1 1 100%', xs: '1 1 12rem' }}
    />
  )
}
