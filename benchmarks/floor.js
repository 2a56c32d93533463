// The backend that a frontend developer would write by hand in Node: a floor to measure against.
const count = Number(process.argv[2] || 1);
const say = (message) => process.stdout.write(JSON.stringify(message) + '\n');
const content = 'Some words that might be an answer, more or less. ';

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  switch (JSON.parse(line).type) {
    case 'init': say({ type: 'session_started', session_id: 'floor' }); break;
    case 'ping': say({ type: 'pong' }); break;
    case 'user_message':
      for (let i = 0; i < count; i += 1) say({ type: 'assistant_text_delta', content });
      say({ type: 'assistant_message_complete', content: '' });
      break;
    case 'shutdown': process.exit(0);
  }
});
