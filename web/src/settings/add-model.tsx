import {
  Button,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useFreshSession } from '../people/fresh-session.tsx'
import { Failure } from '../shown/failure.tsx'
import { emptyForm, formatNames, type ModelForm, modelPresets, nameFor, readForm } from './model-presets.ts'
import { instanceModelsQuery } from './queries.ts'
import { tellSaved } from './saved.ts'
import { TestResult } from './test-result.tsx'

/** Asks for a model, and lets it be saved once a call with the very same values was answered. */
export function AddModel({ isFirst, onDone }: { isFirst: boolean; onDone: () => void }) {
  const queryClient = useQueryClient()
  const fresh = useFreshSession()
  const [form, setForm] = useState(() => emptyForm(isFirst))
  const change = (part: Partial<ModelForm>) => setForm((before) => ({ ...before, ...part }))
  const model = readForm(form)
  const asTyped = JSON.stringify(model)
  const preset = modelPresets.find(({ id }) => id === form.preset)

  const test = useMutation({
    mutationFn: async () => {
      if (!model) throw new Error('not whole')
      return { of: asTyped, ...(await client.models.test(model)) }
    },
  })
  const add = useMutation({
    mutationFn: async () => {
      if (!model) throw new Error('not whole')
      return fresh(() => client.models.add(model))
    },
    onSuccess: async (added) => {
      tellSaved(`${added.name} is there for all projects.`)
      onDone()
      await Promise.all(
        [instanceModelsQuery.queryKey, ['models'], ['project-settings'], ['setup']].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      )
    },
  })
  const result = test.data?.of === asTyped ? test.data : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (result?.ok) add.mutate()
    else if (model) test.mutate()
  }
  const choosePreset = (id: string | null) => {
    const chosen = modelPresets.find((known) => known.id === id)
    if (chosen) change({ preset: chosen.id, format: chosen.format, baseUrl: chosen.baseUrl })
  }
  const price = (label: string, of: keyof ModelForm['prices']) => (
    <NumberInput
      label={label}
      prefix="$"
      min={0}
      decimalScale={6}
      placeholder="Not known"
      value={form.prices[of]}
      onChange={(value) => change({ prices: { ...form.prices, [of]: value } })}
    />
  )
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label="Provider"
            data={modelPresets.map(({ id, label }) => ({ value: id, label }))}
            allowDeselect={false}
            value={form.preset}
            onChange={choosePreset}
          />
          <Select
            label="Format"
            data={Object.entries(formatNames).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            value={form.format}
            onChange={(format) => format && change({ format: format as ModelForm['format'] })}
          />
        </SimpleGrid>
        <TextInput
          label="Address"
          description="With its version"
          placeholder="https://api.example.com/v1"
          required
          value={form.baseUrl}
          onChange={(event) => change({ baseUrl: event.currentTarget.value })}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Model"
            description="As its provider calls it"
            required
            value={form.providerModel}
            onChange={(event) => change({ providerModel: event.currentTarget.value })}
          />
          <TextInput
            label="Name"
            description="As jobs call it; empty: the same"
            placeholder={nameFor(form.providerModel)}
            value={form.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        </SimpleGrid>
        <PasswordInput
          label="Key"
          description={`${preset?.hint ?? ''} It is stored sealed and never shown again`}
          placeholder={preset?.wantsKey ? undefined : 'None is needed'}
          autoComplete="off"
          value={form.key}
          onChange={(event) => change({ key: event.currentTarget.value })}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput
            label="Context window"
            description="In tokens"
            thousandSeparator=","
            min={1}
            required
            value={form.contextWindowTokens}
            onChange={(contextWindowTokens) => change({ contextWindowTokens })}
          />
          <NumberInput
            label="Longest answer"
            description="In tokens"
            thousandSeparator=","
            min={1}
            required
            value={form.maxOutputTokens}
            onChange={(maxOutputTokens) => change({ maxOutputTokens })}
          />
        </SimpleGrid>
        <div>
          <Text size="sm" fw={500} mb={4}>
            Prices, in US dollars per million tokens
          </Text>
          <SimpleGrid cols={{ base: 2, sm: 4 }}>
            {price('Read', 'input')}
            {price('Written', 'output')}
            {price('Cache read', 'cacheRead')}
            {price('Cache write', 'cacheWrite')}
          </SimpleGrid>
        </div>
        <Switch
          label="Default of the installation"
          checked={form.isDefault}
          onChange={(event) => change({ isDefault: event.currentTarget.checked })}
        />
        {result && (
          <TestResult ok={result.ok} title={result.ok ? 'The model answers' : 'The model does not answer'}>
            {result.message} {result.ok && `It took ${(result.latencyMs / 1000).toFixed(1)} s.`}
          </TestResult>
        )}
        <Failure error={test.error ?? add.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button
            variant={result?.ok ? 'default' : 'filled'}
            disabled={!model}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            Test model
          </Button>
          <Button type="submit" disabled={!result?.ok} loading={add.isPending}>
            Save model
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
