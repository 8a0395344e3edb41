import { familyOf } from './process-family.ts';
import { ps, statFields } from './process-table.ts';

/** The unit of the times in /proc/PID/stat, on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** The processor time of the process, of its family and of the children that they have waited for. */
export function processorSeconds(leader: number): number {
  const pids = familyOf(leader).map(({ pid }) => pid);
  return process.platform === 'linux' ? secondsFromProc(pids) : secondsFromPs(pids);
}

function secondsFromProc(pids: number[]): number {
  const ticks = pids.flatMap((pid) => statFields(String(pid))?.slice(11, 15) ?? []);
  return ticks.reduce((sum, each) => sum + Number(each) / TICKS_PER_SECOND, 0);
}

function secondsFromPs(pids: number[]): number {
  const rows = ps(['-A', '-o', 'pid=,time='])
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const times = rows.filter(([pid]) => pids.includes(Number(pid))).map(([, time = '']) => time);
  return times.reduce((sum, time) => sum + secondsOf(time), 0);
}

/** Of [[days-]hours:]minutes:seconds. */
function secondsOf(time: string): number {
  const [clock = '', days = 0] = time.split('-').reverse();
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}
