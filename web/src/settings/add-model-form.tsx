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
import { useReauthentication } from '../people/reauthentication.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { notifySaved } from './notify-saved.ts'
import {
  createModelFormValues,
  type ModelFormValues,
  modelFormatLabels,
  providerPresets,
  toModelInput,
  toModelName,
} from './provider-presets.ts'
import { instanceModelsQuery } from './queries.ts'
import { TestResultAlert } from './test-result-alert.tsx'

/** Adds a model to the instance, but only after a test call with exactly the same values succeeded. */
export function AddModelForm({ isFirst, onDone }: { isFirst: boolean; onDone: () => void }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const [form, setForm] = useState(() => createModelFormValues(isFirst))
  const change = (changes: Partial<ModelFormValues>) => setForm((previous) => ({ ...previous, ...changes }))
  const model = toModelInput(form)
  const modelJson = JSON.stringify(model)
  const preset = providerPresets.find(({ id }) => id === form.preset)

  const test = useMutation({
    mutationFn: async () => {
      if (!model) throw new Error('The form is incomplete.')
      return { testedJson: modelJson, ...(await client.models.test(model)) }
    },
  })
  const add = useMutation({
    mutationFn: async () => {
      if (!model) throw new Error('The form is incomplete.')
      return withReauthentication(() => client.models.add(model))
    },
    onSuccess: async (added) => {
      notifySaved(`${added.name} added. All projects can use it.`)
      onDone()
      await Promise.all(
        [instanceModelsQuery.queryKey, ['models'], ['project-settings'], ['setup']].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      )
    },
  })
  const result = test.data?.testedJson === modelJson ? test.data : undefined // a result for older values does not count
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (result?.ok) add.mutate()
    else if (model) test.mutate()
  }
  const choosePreset = (id: string | null) => {
    const selected = providerPresets.find((candidate) => candidate.id === id)
    if (selected) change({ preset: selected.id, format: selected.format, baseUrl: selected.baseUrl })
  }
  const priceInput = (label: string, kind: keyof ModelFormValues['prices']) => (
    <NumberInput
      label={label}
      prefix="$"
      min={0}
      decimalScale={6}
      placeholder="Unknown"
      value={form.prices[kind]}
      onChange={(value) => change({ prices: { ...form.prices, [kind]: value } })}
    />
  )
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label="Provider"
            data={providerPresets.map(({ id, label }) => ({ value: id, label }))}
            allowDeselect={false}
            value={form.preset}
            onChange={choosePreset}
          />
          <Select
            label="API format"
            data={Object.entries(modelFormatLabels).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            value={form.format}
            onChange={(format) => format && change({ format: format as ModelFormValues['format'] })}
          />
        </SimpleGrid>
        <TextInput
          label="Base URL"
          description="Including the version, such as /v1"
          placeholder="https://api.example.com/v1"
          required
          value={form.baseUrl}
          onChange={(event) => change({ baseUrl: event.currentTarget.value })}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Model"
            description="Model ID of the provider"
            required
            value={form.providerModel}
            onChange={(event) => change({ providerModel: event.currentTarget.value })}
          />
          <TextInput
            label="Name"
            description="How jobs refer to it. Defaults to the model ID"
            placeholder={toModelName(form.providerModel)}
            value={form.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        </SimpleGrid>
        <PasswordInput
          label="API key"
          description={`${preset?.hint ?? ''} Stored encrypted and never shown again`}
          placeholder={preset?.needsKey ? undefined : 'Not required'}
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
            label="Max output"
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
            Prices in US dollars per million tokens
          </Text>
          <SimpleGrid cols={{ base: 2, sm: 4 }}>
            {priceInput('Input', 'input')}
            {priceInput('Output', 'output')}
            {priceInput('Cache read', 'cacheRead')}
            {priceInput('Cache write', 'cacheWrite')}
          </SimpleGrid>
        </div>
        <Switch
          label="Default model of this instance"
          checked={form.isDefault}
          onChange={(event) => change({ isDefault: event.currentTarget.checked })}
        />
        {result && (
          <TestResultAlert ok={result.ok} title={result.ok ? 'The model works' : 'The model does not work'}>
            {result.message} {result.ok && `Response time: ${(result.latencyMs / 1000).toFixed(1)} s.`}
          </TestResultAlert>
        )}
        <ErrorAlert error={test.error ?? add.error} />
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
