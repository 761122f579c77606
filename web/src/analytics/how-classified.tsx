import { List, Paper, Text, Title } from '@mantine/core'

export function HowClassified() {
  return (
    <Paper withBorder p="md" mt="lg">
      <Title order={2} size="h4" mb="xs">
        How clients are recognized
      </Title>
      <Text size="sm" mb="xs">
        By their requests. The first rule that matches decides. User agents are not verified, so a client can claim to
        be another one. IP addresses and cookies are not stored.
      </Text>
      <List type="ordered" size="sm" spacing={4}>
        <List.Item>The user agent contains the name of a known assistant, crawler or bot.</List.Item>
        <List.Item>The request accepts Markdown: an assistant.</List.Item>
        <List.Item>The user agent is that of a browser: a human. This includes AI agents that use a browser.</List.Item>
        <List.Item>
          Not a browser, and it reads Markdown or llms.txt, which are written for AI models: an assistant.
        </List.Item>
        <List.Item>Everything else: another bot.</List.Item>
      </List>
      <Text size="sm" mt="xs">
        AI views are those of assistants, AI search crawlers and AI training crawlers, or of assistants only if you
        choose that. Search engines and other bots are not part of the totals.
      </Text>
    </Paper>
  )
}
