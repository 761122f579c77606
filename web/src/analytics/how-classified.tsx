import { List, Paper, Text, Title } from '@mantine/core'

export function HowClassified() {
  return (
    <Paper withBorder p="md" mt="lg">
      <Title order={2} size="h4" mb="xs">
        How a reader is recognised
      </Title>
      <Text size="sm" mb="xs">
        By what its request says, in this order; the first that fits decides. No address and no cookie is stored, and
        nothing that tells one reader from another.
      </Text>
      <List type="ordered" size="sm" spacing={4}>
        <List.Item>The user agent holds a name of the list of known assistants, crawlers and bots.</List.Item>
        <List.Item>It asks for Markdown: a tool that reads for a model.</List.Item>
        <List.Item>It looks like a browser: a person.</List.Item>
        <List.Item>
          It is no browser and reads Markdown or llms.txt, which are written for models: an assistant.
        </List.Item>
        <List.Item>Anything else is another bot.</List.Item>
      </List>
      <Text size="sm" mt="xs">
        AI is the sum of assistants, indexers of AI search and crawlers for training, or assistants alone where you
        choose so. Search engines and other bots are in no other number.
      </Text>
    </Paper>
  )
}
