import { area, circle, dots, each, line, oval, places, range, rect, turned, type Colours, type Scene } from '../shapes.ts';

const steam = (c: Colours): string => line('M63 30q-5-6 0-11t0-10M75 27q-5-6 0-11t0-10M87 30q-5-6 0-11t0-10', c.ground, 2.5);
const plate = (c: Colours): string => oval(75, 64, 52, 22, c.ground) + oval(75, 61, 52, 22, c.light) + oval(75, 61, 38, 14, '#efe7da');
const bowl = (c: Colours, inside: string, over = ''): string =>
  oval(75, 88, 34, 4, c.ground) +
  oval(75, 47, 41, 12, c.light) +
  oval(75, 48, 36, 9, inside) +
  over +
  area('M34 48a41 40 0 0 0 82 0q-41 24-82 0', c.a) +
  rect(59, 83, 32, 5, c.a, 2);
const jar = (c: Colours, inside: string, over = ''): string =>
  rect(49, 28, 52, 62, '#ffffffaa', 9) +
  rect(53, 38, 44, 48, inside, 6) +
  over +
  rect(52, 17, 46, 12, c.a, 3) +
  rect(57, 33, 3, 44, '#ffffff88', 2);
const dumpling = (x: number, y: number): string =>
  area(`M${x - 17} ${y + 5}q2-20 17-20t17 20q-17 9-34 0`, '#e3bd7c') +
  area(`M${x - 15} ${y + 4}q2-17 15-17t15 17q-15 6-30 0`, '#f7e6c0') +
  line(`M${x - 9} ${y - 6}l4 4M${x - 3} ${y - 9}l1 5M${x + 4} ${y - 9}l-1 5M${x + 10} ${y - 5}l-4 3`, '#c99a55', 1.8);
const roll = (x: number, y: number): string =>
  circle(x, y, 15, '#c98443') + circle(x, y, 12, '#e2a866') + line(`M${x} ${y}q4-4 5 1t-7 5-6-8 9-6 8 9`, '#8f5424', 2.5);

export const FOOD: Record<string, Scene> = {
  soup: (c) => bowl(c, c.b, dots([[60, 47], [72, 51], [84, 46], [95, 49]], 2.5, '#4f9d4f')) + steam(c), // prettier-ignore
  noodles: (c) =>
    bowl(
      c,
      '#d98b3a',
      line('M44 46q8-6 15 0t15 0 15 0 15 0M48 50q8-5 14 0t14 0 14 0 12-1', '#f9e2a2', 3) +
        oval(92, 44, 8, 4, '#fff') +
        oval(92, 44, 4, 2, '#f5a623'),
    ) + line('M84 42L112 8M90 43L120 12', '#7a4a2a', 3),
  bibimbap: (c) =>
    oval(75, 56, 46, 32, c.dark) +
    oval(75, 53, 40, 26, '#fff3dc') +
    area('M75 53L40 40a40 26 0 0 1 35-13z', '#e07a2f') +
    area('M75 53V27a40 26 0 0 1 35 13z', '#4f9d4f') +
    area('M75 53l35-13a40 26 0 0 1-8 30z', '#8a5a3c') +
    area('M75 53l-35-13a40 26 0 0 0 8 30z', '#f4d35e') +
    oval(75, 53, 14, 10, '#fff') +
    circle(75, 53, 5.5, '#f5a623'),
  rice: (c) =>
    plate(c) + area('M43 60q4-28 32-28t32 28q-32 12-64 0', '#e8712f') + dots([[60, 50], [72, 41], [85, 52], [94, 57], [68, 58], [80, 44], [54, 58]], 2.4, '#4f9d4f') + dots([[65, 46], [78, 54], [88, 46]], 2.4, '#b5202c'), // prettier-ignore
  paella: (c) =>
    oval(75, 56, 46, 29, c.dark) +
    oval(75, 53, 42, 25, '#f2b33d') +
    places(
      [
        [58, 45],
        [92, 46],
        [75, 65],
      ],
      (x, y) => line(`M${x - 6} ${y + 3}a7 6 0 1 1 11 1`, '#e8553a', 4),
    ) +
    places(
      [
        [75, 42],
        [55, 60],
        [95, 61],
      ],
      (x, y) => oval(x, y, 6, 4, '#33415c') + oval(x, y, 3.5, 2, '#f6c58f'),
    ) +
    dots(
      [
        [66, 53],
        [84, 54],
        [47, 52],
        [103, 53],
        [68, 36],
      ],
      2,
      '#4f9d4f',
    ) +
    rect(20, 50, 12, 7, c.dark, 3) +
    rect(118, 50, 12, 7, c.dark, 3),
  stew: (c) =>
    rect(36, 44, 78, 42, c.a, 10) + rect(24, 52, 14, 7, c.a, 3) + rect(112, 52, 14, 7, c.a, 3) + oval(75, 45, 39, 10, c.dark) + oval(75, 45, 34, 7, c.b) + dots([[58, 45], [70, 48], [82, 43], [94, 46]], 3, '#fff3dc') + steam(c), // prettier-ignore
  fish: (c) =>
    plate(c) +
    area('M37 60q28-26 60-3l16-11q-3 14 0 26l-16-10q-32 20-60-2', '#6b93ad') +
    area('M37 60q28 20 60 0-32 22-60 0', '#dfe9ee') +
    circle(48, 57, 2.4, c.dark) +
    line('M56 51q5 8 0 17M68 49q4 9 0 19M80 51q4 8 0 14', '#4d7089', 2) +
    circle(108, 78, 8, '#f4d03f') + circle(108, 78, 5.5, '#fbeea2'), // prettier-ignore
  loaf: (c) =>
    rect(27, 80, 96, 6, c.dark, 3) + area('M35 80V56q0-22 40-22t40 22v24z', '#b8743a') + area('M35 58q0-24 40-24t40 24q-40-14-80 0', '#8d5023') + line('M52 44l10 12M70 39l10 13M89 40l10 13', '#f0c98c', 4), // prettier-ignore
  cake: (c) =>
    oval(75, 84, 50, 7, c.light) +
    rect(38, 52, 74, 31, '#e9b861', 5) +
    area('M38 60v-8q0-10 37-10t37 10v12q-5 6-9 0t-9 0-10 3-10-3-10 2-9-3-10 2-10-1', '#fff7e0') +
    dots(
      [
        [56, 49],
        [75, 46],
        [94, 49],
      ],
      3.5,
      c.b,
    ) +
    rect(38, 70, 74, 3, '#c98f3c'),
  tart: (c) =>
    oval(75, 60, 50, 28, c.ground) +
    oval(75, 56, 50, 28, '#c98443') +
    oval(75, 54, 43, 22, '#f3d083') +
    each(range(12), (n) => turned(`rotate(${n * 30} 75 54)`, oval(75, 38, 9, 5, '#f0b646') + line('M68 37q7-5 14 0', '#c9572f', 1.6))) +
    oval(75, 54, 7, 4, '#e58d3c'),
  bread: (c) =>
    oval(75, 84, 48, 5, c.ground) + oval(75, 58, 46, 27, '#a9662f') + oval(75, 54, 42, 22, '#c98443') + line('M52 46q10 6 8 20M70 41q10 8 8 26M90 43q8 8 5 22', '#f6dfb4', 4) + dots([[48, 52], [64, 68], [102, 58]], 1.5, '#f6dfb4'), // prettier-ignore
  flatbread: (c) =>
    oval(75, 60, 50, 26, c.ground) + oval(75, 56, 50, 26, '#d9a15a') + oval(75, 55, 43, 20, '#f0c987') + dots([[56, 52], [70, 62], [84, 48], [98, 57], [66, 46], [88, 64]], 4, '#b97735') + dots([[62, 56], [78, 54], [92, 52], [74, 44]], 2, '#4f8a3f'), // prettier-ignore
  buns: (c) => oval(75, 76, 54, 14, c.light) + roll(52, 64) + roll(98, 64) + roll(75, 68) + roll(63, 44) + roll(88, 44),
  croissant: (c) =>
    oval(75, 76, 50, 8, c.ground) + area('M24 70q6-42 51-42t51 42q-12 8-20-4-10-14-31-14T44 66q-8 12-20 4', '#d68f3e') + line('M44 40l8 24M62 32l3 21M88 32l-3 21M106 40l-8 24', '#9c5b1f', 3), // prettier-ignore
  pancakes: (c) =>
    oval(75, 80, 50, 9, c.light) + each(range(4), (n) => oval(75, 74 - n * 9, 36, 9, '#a9662f') + oval(75, 71 - n * 9, 36, 9, '#edbc6c')) + rect(67, 36, 15, 8, '#fff1a8', 2) + line('M58 44q-3 12 1 20M94 46q5 8 2 16', '#b5541c', 4), // prettier-ignore
  dumplings: (c) =>
    plate(c) +
    dumpling(56, 62) +
    dumpling(92, 62) +
    dumpling(75, 70) +
    dumpling(74, 51) +
    line('M104 22q6-5 0-9M114 24q6-5 0-9', c.ground, 2),
  pie: (c) =>
    rect(28, 40, 94, 44, c.dark, 5) + rect(32, 38, 86, 40, '#e0a34e', 3) + line('M32 51h86M32 64h86M54 38v40M75 38v40M96 38v40', '#a9662f', 2) + dots([[43, 45], [64, 57], [86, 45], [107, 70], [43, 70], [86, 70]], 2, '#4f8a3f'), // prettier-ignore
  onigiri: (c) =>
    oval(75, 84, 50, 6, c.ground) +
    places(
      [
        [53, 54],
        [97, 54],
      ],
      (x, y) =>
        area(`M${x} ${y - 26}q6 0 10 7l13 30q3 15-8 15H${x - 15}q-11 0-8-15l13-30q4-7 10-7`, '#fff') +
        rect(x - 10, y + 6, 20, 20, '#24432f', 1),
    ) +
    dots(
      [
        [52, 46],
        [98, 46],
      ],
      4,
      c.b,
    ),
  jar: (c) => jar(c, '#9dbb5a', line('M58 46q8 6 16 0t18 2M58 56q8 6 16 0t18 2M58 66q8 6 16 0t18 2M58 76q8 5 16 0t18 2', '#dfe8ae', 3)),
  beanjar: (c) => jar(c, '#f0dfc0', places([[60, 80], [70, 78], [80, 81], [90, 79], [64, 70], [76, 69], [87, 70], [60, 60], [71, 59], [83, 60], [91, 62]], (x, y) => oval(x, y, 5, 3.4, '#8a3b2a'))), // prettier-ignore
  bottle: (c) =>
    rect(66, 8, 18, 9, c.dark, 2) + area('M68 17h14v14q12 6 12 18v36q0 5-5 5H61q-5 0-5-5V49q0-12 12-18z', '#f6d95b') + rect(56, 54, 38, 24, c.light) + circle(75, 66, 8, '#f2b705') + area('M82 60q6-8 10-4-3 6-10 4', '#4f9d4f'), // prettier-ignore
  chilli: () =>
    turned('rotate(-20 75 50)', area('M40 38q34-14 60 10 14 14 24 8-4 22-32 14Q62 60 40 52z', '#c8202f') + area('M48 42q24-8 42 8', '#e8606a') + area('M42 36q-10 0-10 9t10 9q5-9 0-18', '#4f8a3f') + line('M33 45q-10-2-12-10', '#4f8a3f', 4)), // prettier-ignore
  beans: (c) =>
    plate(c) + line('M48 56q20-14 44 0M52 64q22-12 48 0M60 70q16-8 34-2M58 50q18-8 36 2', '#4f8a3f', 6) + dots([[66, 60], [84, 54], [90, 66]], 5, '#d9412b'), // prettier-ignore
  churros: (c) =>
    turned('rotate(24 62 50)', rect(38, 22, 9, 60, '#c98443', 4) + rect(50, 18, 9, 62, '#b06b28', 4) + rect(62, 22, 9, 60, '#c98443', 4)) + area('M84 48h34l-4 36H88z', c.light) + oval(101, 48, 17, 5, '#4a2614') + line('M117 56q12 0 9 10t-11 8', c.light, 4), // prettier-ignore
  meringue: () =>
    area('M58 8h34L79 54h-8z', '#fff') + area('M71 54h8l-2 8h-4z', '#8d99a6') + line('M62 16l8 30M75 12v38', '#d9dee4', 2) + area('M52 90q-6-8 6-12 2-6 10-8 6-2 7-8 2 6 8 8 8 2 9 8 12 4 6 12z', '#fff6ee') + line('M56 84q19 6 38 0M62 76q13 5 26 0', '#e8d2c2', 2), // prettier-ignore
  biscuits: (c) =>
    oval(75, 74, 54, 14, c.light) + places([[54, 64], [96, 64], [75, 52]], (x, y) => circle(x, y, 18, '#b9783a') + circle(x, y, 16, '#d9a15a') + dots([[x - 6, y - 4], [x + 5, y - 6], [x + 2, y + 6], [x - 5, y + 6]], 2, '#8d5023')), // prettier-ignore
  brulee: (c) =>
    oval(75, 74, 48, 14, c.light) + rect(29, 48, 92, 24, c.light, 8) + oval(75, 50, 46, 17, c.light) + oval(75, 50, 40, 13, '#c9741f') + area('M50 46l16 10 10-12 14 14 18-8', 'none') + line('M48 46l18 10 10-12 14 12 18-6', '#7a3d0c', 1.6) + oval(66, 46, 10, 3, '#eeb257'), // prettier-ignore
  sausages: (c) =>
    plate(c) + places([[60, 54], [76, 62], [90, 70]], (x, y) => turned(`rotate(-24 ${x} ${y})`, rect(x - 22, y - 6, 44, 12, '#b9702f', 6) + line(`M${x - 14} ${y - 3}h26`, '#e0a863', 2))) + circle(48, 72, 5, '#4f9d4f'), // prettier-ignore
  eggs: (c) =>
    rect(27, 62, 96, 22, c.ground, 6) + places([[43, 58], [65, 58], [86, 58], [107, 58]], (x, y) => oval(x, y - 6, 10, 15, x === 65 ? '#e8b98a' : '#fff3e0') + area(`M${x - 12} ${y}h24v14h-24z`, c.dark)), // prettier-ignore
  pasta: (c) =>
    rect(0, 0, 150, 100, c.back) + places([[42, 34], [100, 66]], (x, y) => area(`M${x - 16} ${y - 12}l14 9q2-2 4 0l14-9v24l-14-9q-2 2-4 0l-14 9z`, '#f2c14e')) + places([[90, 28], [48, 72]], (x, y) => turned(`rotate(30 ${x} ${y})`, rect(x - 17, y - 6, 34, 12, '#e8ad3a', 3) + oval(x + 17, y, 3, 6, '#a8741a') + line(`M${x - 14} ${y - 2}h26M${x - 14} ${y + 2}h26`, '#c98f2c', 1))) + line('M62 46q4-8 8 0t8 0 8 0', '#d99a2b', 6) + circle(116, 36, 8, '#e8ad3a') + circle(116, 36, 3, c.back), // prettier-ignore
  tteokbokki: (c) => bowl(c, '#d7301f', places([[54, 47], [68, 50], [82, 46], [94, 49], [72, 44]], (x, y) => turned(`rotate(-15 ${x} ${y})`, rect(x - 8, y - 3, 16, 6, '#ffd9c2', 3)))) + steam(c), // prettier-ignore
  avocado: () =>
    area('M75 12q18 6 24 38 6 38-24 38T51 50q6-32 24-38', '#38592b') + area('M75 18q14 6 19 34 4 30-19 30T56 52q5-28 19-34', '#cfe08a') + circle(75, 62, 14, '#7a4a22') + circle(70, 57, 4, '#a8713f'), // prettier-ignore
  duck: (c) =>
    plate(c) + area('M44 60q0-22 30-22 26 0 34 18 8 2 4 10-14 10-42 8-26-2-26-14', '#a8481c') + area('M52 54q8-12 24-12 16 0 24 10-22-4-48 2', '#d9772f') + line('M104 58l16-10', '#f0d9b8', 5) + dots([[121, 45], [124, 50]], 4, '#f0d9b8') + dots([[50, 74], [60, 77], [98, 76]], 4, '#4f8a3f'), // prettier-ignore
};
